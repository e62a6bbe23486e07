export { callWebhook, activate, jsonByOutput } from './webhook';
export type { WebhookCall, WebhookOutcome } from './webhook';
export { runNode, startNode } from './runNode';
export type { InputItem, NodeRun, OutputItem, RunningNode, RunOptions } from './runNode';
export { testCredential } from './testCredential';
export type { Credential, NodeSettings, NodeSetup } from './workflow';
export { runFlow } from './flow';
export type { Flow, FlowNode } from './flow';
