// Late upstream releases: what others do with resources that are public.
import { describe, expect, test } from 'vitest';
import { refused, upload } from '../../sections/jobs/section-4-6-support.ts';
import { onlyHere, until } from '../../support.ts';
import { at, cluster, late, make, type Path, show, template } from './upstream-support.ts';

describe('sahara: what is public can be referred to by all', () => {
  const twoTenants = async () => {
    const peer = await late();
    return { peer, share: (path: Path, fields: object = {}) => make(peer, path, { is_public: true, ...fields }) };
  };

  test('a node group template in cluster templates, and a cluster template in clusters', async () => {
    const { peer, share } = await twoTenants();
    const [group, shared] = [await share('node-group-templates'), await share('cluster-templates')];
    const node_groups = [{ name: 'g', count: 1, node_group_template_id: group.id }];
    const own = await peer.post(at('cluster-templates', 'other'), { ...template, name: 'own', node_groups });
    expect(own.body.cluster_template).toMatchObject({ tenant_id: 'other', is_public: false });
    const { node_groups: _, ...body } = cluster;
    const started = await peer.post(at('clusters', 'other'), { ...body, cluster_template_id: shared.id });
    expect(started.status).toBe(202);
    // Nothing of its own is public: only that a template is, says nothing of clusters.
    expect(started.body.cluster).toMatchObject({ tenant_id: 'other', is_public: false });
    for (const { path, id } of [
      { path: 'node-group-templates', id: group.id },
      { path: 'cluster-templates', id: shared.id },
    ])
      expect(refused(await peer.remove(at(`${path}/${id}`)))).toEqual([400, 'INVALID_REFERENCE']);
  });

  test('a job with its binaries, data sources and a cluster: runs belong to who begins them, and outlive the publicity', async () => {
    onlyHere('it counts rows of another tenant');
    const { peer, share } = await twoTenants();
    const binary = await share('job-binaries');
    const job = await share('jobs', { type: 'Pig', mains: [binary.id] });
    expect((await show(peer, 'jobs', job.id, 'other')).mains[0]).toMatchObject({ id: binary.id, tenant_id: 't' });
    const [input, output] = [
      await share('data-sources'),
      await share('data-sources', { name: 'output', url: '/data/output' }),
    ];
    const { id: cluster_id } = await share('clusters');
    const body = { cluster_id, input_id: input.id, output_id: output.id };
    const { job_execution: run } = (await peer.post(at(`jobs/${job.id}/execute`, 'other'), body)).body;
    expect(run).toMatchObject({ tenant_id: 'other', job_id: job.id });
    expect(await show(peer, 'job-executions', run.id)).toBeUndefined();
    const over = await until(
      () => peer.get(at(`job-executions/${run.id}`, 'other')),
      (reply) => reply.body.job_execution.info.status === 'SUCCEEDED',
    );
    expect(over.body.job_execution.data_source_urls).toEqual({
      [input.id]: '/data/input',
      [output.id]: '/data/output',
    });
    for (const path of [`jobs/${job.id}`, `data-sources/${input.id}`, `job-binaries/${binary.id}`])
      expect(refused(await peer.remove(at(path)))).toEqual([400, 'DELETION_FAILED']);
    expect((await peer.get(at('job-executions?job.name=job', 'other'))).body.job_executions).toHaveLength(1);
  });

  test('when the cluster goes, so do the runs of others on it', async () => {
    const { peer, share } = await twoTenants();
    const job = await share('jobs');
    const { id: cluster_id } = await share('clusters');
    const { body } = await peer.post(at(`jobs/${job.id}/execute`, 'other'), { cluster_id });
    await peer.remove(at(`clusters/${cluster_id}`));
    await until(
      () => peer.get(at(`job-executions/${body.job_execution.id}`, 'other')),
      (reply) => reply.body.job_execution.cluster_id === null,
    );
  });

  test('the bytes of a public binary can be read by all, when they are public, too', async () => {
    const peer = await late();
    const internal = (await upload(peer, 'script.bytes', 'echo')).body.job_binary_internal;
    const url = `internal-db://${internal.id}`;
    const { id } = await make(peer, 'job-binaries', { url, is_public: true });
    expect((await peer.get(at(`job-binaries/${id}/data`))).text).toBe('echo');
    expect(refused(await peer.get(at(`job-binaries/${id}/data`, 'other')))).toEqual([500, 'INTERNAL_SERVER_ERROR']);
    expect((await peer.get(at(`job-binary-internals/${internal.id}/data`, 'other'))).status).toBe(404);
  });
});
