export * from './vocabulary';
export * from './read';
export * from './result';
export * from './endpoints';
export * from './webhook';
