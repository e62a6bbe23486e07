import { startSandbox } from '../../dev/sandbox';
import { addressOf } from '../../dev/sandbox/client';

// Tells its parent where it listens, and ends with it.
process.once('disconnect', () => process.exit());
void startSandbox({ port: 0, filesPort: 0 }).then((sandbox) => process.send?.(addressOf(sandbox)));
