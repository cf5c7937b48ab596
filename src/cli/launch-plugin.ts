#!/usr/bin/env node
// Starts the plugin, unless Node is too old for it. This file has to be understood by each Node, so it imports nothing before that.

/** As `engines` of package.json. */
const neededNode = 24;

if (Number.parseInt(process.versions.node, 10) < neededNode) {
  process.stderr.write(
    `error: kubectl dataprocessing needs Node.js ${neededNode} or newer, and ${process.execPath} is ${process.versions.node}. ` +
      'A checkout has one in node_modules/.bin/node: see docs/how-to/run-jobs-with-kubectl.md\n',
  );
  process.exitCode = 1;
} else {
  void import('./main.ts');
}
