// Paths of collections and objects, and what they are called in messages.
import { describe, expect, it } from 'vitest';
import { collectionPath, objectPath, type ResourceKind } from '../../src/kube/resource.ts';
import { targetOf, targetText } from '../../src/kube/target.ts';

const secrets: ResourceKind = { kind: 'Secret', apiVersion: 'v1', plural: 'secrets' };
const clusters: ResourceKind = { kind: 'Cluster', apiVersion: 'dataprocessing.dev/v1alpha1', plural: 'clusters' };

describe('paths', () => {
  it('tell core kinds from those of a group', () => {
    expect(collectionPath(secrets)).toBe('/api/v1/secrets');
    expect(collectionPath(clusters)).toBe('/apis/dataprocessing.dev/v1alpha1/clusters');
  });

  it('may be narrowed to a namespace', () => {
    expect(collectionPath(secrets, 'team-a')).toBe('/api/v1/namespaces/team-a/secrets');
    expect(collectionPath(clusters, 'team-a')).toBe('/apis/dataprocessing.dev/v1alpha1/namespaces/team-a/clusters');
  });

  it('lead to one object and its status', () => {
    const key = { namespace: 'team-a', name: 'etl' };
    expect(objectPath(secrets, key)).toBe('/api/v1/namespaces/team-a/secrets/etl');
    expect(objectPath(clusters, key, 'status')).toBe(
      '/apis/dataprocessing.dev/v1alpha1/namespaces/team-a/clusters/etl/status',
    );
  });

  it('cannot be broken out of by a name', () => {
    expect(objectPath(secrets, { namespace: 'a', name: '../b?c=d' })).toBe(
      '/api/v1/namespaces/a/secrets/..%2Fb%3Fc%3Dd',
    );
  });
});

describe('what a path points at', () => {
  it.each([
    ['/api/v1/secrets', 'secrets', undefined, undefined],
    ['/api/v1/namespaces/team-a/secrets', 'secrets', 'team-a', undefined],
    ['/api/v1/namespaces/team-a/secrets/one', 'secrets', 'team-a', 'one'],
    ['/api/v1/namespaces/kube-system', 'namespaces', undefined, 'kube-system'],
    ['/api/v1/namespaces', 'namespaces', undefined, undefined],
    ['/apis/dataprocessing.dev/v1alpha1/clusters', 'clusters', undefined, undefined],
    ['/apis/dataprocessing.dev/v1alpha1/namespaces/a/clusters/b', 'clusters', 'a', 'b'],
    ['/apis/dataprocessing.dev/v1alpha1/namespaces/a/clusters/b/status', 'clusters/status', 'a', 'b'],
    ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions/x.y', 'customresourcedefinitions', undefined, 'x.y'],
  ])('%s', (path, resource, namespace, name) => {
    expect(targetOf(path)).toEqual({ resource, namespace, name });
  });

  it('reads like a sentence', () => {
    expect(targetText('/apis/dataprocessing.dev/v1alpha1/namespaces/a/clusters/b/status')).toBe('clusters/status a/b');
    expect(targetText('/api/v1/secrets')).toBe('secrets');
    expect(targetText('/api/v1/namespaces/kube-system')).toBe('namespaces kube-system');
  });
});
