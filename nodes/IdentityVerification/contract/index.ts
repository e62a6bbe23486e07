export * from './vocabulary';
export * from './read';
export * from './decision';
export * from './result';
export * from './endpoints';
export * from './webhook';
