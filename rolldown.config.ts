// Builds what the image runs and the plugin of kubectl: four programs, each in a few files, with the packages that they need at once. A
// start from hundreds of files takes twice as long, and a restart of the operator is one. The texts of the packages' licenses stay in
// node_modules.
import { defineConfig } from 'rolldown';

export default defineConfig({
  input: {
    main: 'src/operator/main.ts',
    'service/main': 'src/service/program/main.ts',
    'service/runner': 'src/service/program/runner.ts',
    'kubectl-dataprocessing': 'src/cli/launch-plugin.ts',
  },
  platform: 'node',
  // For the bundled service.
  external: ['fastify'],
  output: { dir: 'dist', format: 'esm' },
});
