// What brings about the errors of data sources, job binaries, jobs and their executions, by route and cause.
import { unknownId } from '../../contract/support.ts';
import type { Ask } from './ask.ts';
import type { Provocations } from './routes.ts';
import { type Scene, swift } from './scene.ts';

type Provoke = (scene: Scene) => Ask;
const of =
  (name: string, body?: unknown): Provoke =>
  ({ idOf }) => ({ parts: { id: idOf(name) }, body });
const spare =
  (body: object): Provoke =>
  () => ({ body });
const { credentials: _, ...withoutCredentials } = swift;

const source = (fields: object): Provoke => spare({ name: 'new', ...swift, ...fields });
const binary =
  (fields: (scene: Scene) => object): Provoke =>
  (scene) => ({ body: { name: 'new', ...fields(scene) } });
const job =
  (fields: object): Provoke =>
  ({ idOf }) => ({ body: { name: 'new', type: 'Pig', mains: [idOf('script')], ...fields } });
const argument = { name: 'a', mapping_type: 'configs', location: 'a', required: false };

const run =
  (fields: (scene: Scene) => object): Provoke =>
  (scene) => {
    const { idOf } = scene;
    const usual = { cluster_id: idOf('active'), input_id: idOf('in'), output_id: idOf('out') };
    return { body: { ...usual, ...fields(scene) } };
  };

export const jobRoutes: Provocations = {
  'POST data-sources': {
    nameTaken: source({ name: 'in' }),
    badSource: source({ url: 'ftp://host/path' }),
    noCredentials: spare({ name: 'new', ...withoutCredentials }),
  },
  'DELETE data-sources/:id': { undeletable: of('in') },
  'POST job-binaries': {
    duplicate: binary(() => ({ name: 'spare-script', url: swift.url, extra: swift.credentials })),
    badLocation: binary(() => ({ url: 'ftp://host/path' })),
    noInternal: binary(({ internalUrl }) => ({ url: internalUrl + unknownId })),
    noSwiftUser: binary(() => ({ url: swift.url })),
  },
  'DELETE job-binaries/:id': { undeletable: of('script') },
  'GET job-binaries/:id/data': {
    bytesElsewhere: of('spare-script'),
    bytesLost: of('lost'),
    bytesLostUpstream: of('lost'),
  },
  'PUT job-binary-internals/:name': {
    duplicate: () => ({
      parts: { name: 'bytes' },
      body: 'bytes',
      headers: { 'content-type': 'application/octet-stream' },
    }),
  },
  'POST jobs': {
    duplicate: job({ name: 'pig' }),
    badBinaries: job({ mains: [] }),
    unknownBinary: job({ mains: [unknownId] }),
    badInterface: job({ interface: [argument, argument] }),
    unknownDefault: job({ interface: [{ ...argument, value_type: 'data_source', default: unknownId }] }),
  },
  'DELETE jobs/:id': { undeletable: of('pig') },
  'POST jobs/:id/execute': {
    unknownCluster: run(() => ({ cluster_id: unknownId })),
    otherPlugin: run(({ idOf }) => ({ cluster_id: idOf('sparkling') })),
    badInterface: run(() => ({ interface: { nonsense: 'x' } })),
    unknownSource: run(() => ({ input_id: unknownId })),
    unknownDefault: ({ idOf }) => ({
      parts: { id: idOf('asking') },
      body: {
        cluster_id: idOf('active'),
        input_id: idOf('in'),
        output_id: idOf('out'),
        interface: { source: unknownId },
      },
    }),
    badRun: run(({ idOf }) => ({ output_id: idOf('in') })),
  },
  'GET job-executions/:id/logs': {
    badLogRange: () => ({ query: '?limit=many' }),
    noLogs: () => ({}),
  },
};
