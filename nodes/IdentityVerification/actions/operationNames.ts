/** The names in a node's parameter by which one operation finds the other in the workflow. */
export const CREATE_LINK_OPERATION = 'createHostedLink';
export const WAIT_OPERATION = 'waitForResult';
