// A resource whose spec names an object that is there already: what was there before us, what is ours, and who else changes it.
import { describe, expect, test } from 'vitest';
import { imageRegistrationKind } from '../../../../src/operator/kinds/image-registration/index.ts';
import { changeText } from '../../../../src/operator/reconcile/key-memory.ts';
import { closeAttempt, noteRefusal, openAttempt } from '../../../../src/operator/reconcile/ledger/edits.ts';
import { type Ledger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { plan } from '../../../../src/operator/reconcile/plan/plan.ts';
import { somebodyElse } from '../../../../src/operator/reconcile/plan-input.ts';
import type { EffectAnswer } from '../../../../src/operator/reconcile/protocol/effects.ts';
import { next } from '../../../../src/operator/reconcile/protocol/protocol.ts';
import type { Image } from '../../../../src/wire/image.ts';
import { notFound, quota, reset } from '../protocol/failures.ts';
import {
  attempts,
  claimOf,
  clusterName,
  conditionsAs,
  image,
  iso,
  ledgerOf,
  missingConnection,
  monotonic,
  type SituationOptions,
  situationOf,
  viewOf,
  wall,
} from '../support.ts';
import { adopts, planOf, releases } from './matchers.ts';

const kind = imageRegistrationKind;
const spec = { imageID: image, username: 'ubuntu', tags: ['vanilla', '1.2.1'] };
const row = (changes: Partial<Image> = {}): Image => ({
  id: image,
  name: 'ubuntu-22.04',
  username: 'ubuntu',
  tags: ['1.2.1', 'vanilla'],
  ...changes,
});
const claim = claimOf({ collection: 'images', name: image });
const ours = ledgerOf([{ ...claim, id: image }]);
const found = ledgerOf([{ ...claim, id: image, origin: 'preexisting' }]);
const body = { id: image, username: 'ubuntu', description: '' };
/** It was looked at before, and nothing was written then. */
const waited = { status: { observedGeneration: 1, conditions: [] } };

const planned = (options: SituationOptions) => planOf({ kind, spec, ...options });

describe('what has no id on record', () => {
  test.each<readonly [string, SituationOptions, object]>([
    ['new: registered, under the id as its name', { view: undefined }, { action: 'create', claim, body }],
    ['not in the list: registered', waited, { action: 'create', claim, body }],
    ['an id in capitals is the same', { spec: { ...spec, imageID: image.toUpperCase() } }, { claim, body }],
    [
      'in the list already: it was there before',
      { ...waited, rows: [row()] },
      adopts(image, { ...claim, origin: 'preexisting' }),
    ],
    [
      'in the list after a create that may have been ours: it is ours',
      { ledger: ledgerOf([{ ...claim, ...attempts(1) }]), rows: [row()] },
      adopts(image, claim),
    ],
    [
      'in the list after a create that was refused: it was there before',
      { ledger: ledgerOf([{ ...claim, ...attempts(0) }]), rows: [row()] },
      adopts(image, { ...claim, origin: 'preexisting' }),
    ],
    [
      'another image by the same name is another image',
      { ...waited, rows: [row({ id: 'other', name: image })] },
      { action: 'create', claim },
    ],
    [
      'of somebody else: refused, and Clusters can do without it',
      { claimedBy: 'ImageRegistration/b/x' },
      {
        reason: 'DuplicateClaim',
        message: expect.stringMatching(
          /^image \S+ is registered by ImageRegistration\/b\/x.*Clusters can use the image with defaultImageID: \S+ instead of imageRef\./,
        ),
      },
    ],
  ])('%s', (_name, options, expected) => {
    expect(planned(options)).toMatchObject(expected);
  });

  test('adopting what may be ours keeps no word of another origin', () => {
    const result = planned({ ledger: ledgerOf([{ ...claim, ...attempts(1) }]), rows: [row()] });
    expect('claim' in result && 'origin' in result.claim).toBe(false);
  });

  test('what was there before and vanished is registered anew, and then ours', () => {
    const vanished = { ledger: found, rows: [], memory: { missingSince: monotonic - 60_000 } };
    const result = planned(vanished);
    expect(result).toMatchObject({ action: 'create', claim, ledger: { claims: [] } });
    expect('claim' in result && result.claim.origin).toBeUndefined();
  });
});

describe('the steps of a registration', () => {
  const timed = { sentAt: monotonic - 100, at: monotonic };
  const create = plan(situationOf({ kind, spec, view: undefined }));
  const ask = (trail: readonly EffectAnswer[], options: SituationOptions = {}) => {
    const input = situationOf({ kind, spec, ...options });
    return next({ plan: create, ledger: input.ledger, input, trail });
  };
  const observed: EffectAnswer = { of: 'observe', ...timed };
  const intended: EffectAnswer = { of: 'pin-and-intend', ...timed };

  test('the list is looked at first, also for what is new', () => {
    expect(ask([], { view: undefined })).toEqual({ effect: 'observe' });
    expect(ask([], { rows: [row()], ...waited })).toEqual({ effect: 'observe' });
  });

  test('nothing there: the intent, then the request', () => {
    expect(ask([observed], { rows: [] })).toMatchObject({ effect: 'pin-and-intend', ledger: { claims: [claim] } });
    expect(ask([observed, intended])).toEqual({ effect: 'post', body });
  });

  test('the end: status and event say that it is registered', () => {
    const made: EffectAnswer = { of: 'post', ...timed, row: row() };
    const note = `ImageRegistration ${image} was registered`;
    expect(ask([observed, intended, made, { of: 'record', ...timed }])).toEqual({
      effect: 'done',
      outcome: { result: 'progressed', reason: 'Provisioning', message: note },
      events: [{ type: 'Normal', reason: 'Created', action: 'Create', note }],
    });
  });

  test('there already: recorded as such, without a request', () => {
    expect(ask([observed], { rows: [row()] })).toMatchObject({
      effect: 'record',
      ledger: { claims: [{ ...claim, id: image, origin: 'preexisting' }] },
    });
  });

  const opened = openAttempt(ledgerOf([]), claim, iso(wall));
  test.each([
    ['lost: it may be ours', reset('POST'), undefined],
    ['refused: somebody else registered it', quota('POST'), 'preexisting'],
    ['refused, since there was no such image', notFound('POST'), 'preexisting'],
  ] as const)('found after a request that was %s', (_name, error, origin) => {
    const trail = [intended, { of: 'post', ...timed, error } as EffectAnswer, observed];
    const effect = ask(trail, { ledger: opened, rows: [row()] });
    const [recorded] = effect.effect === 'record' ? effect.ledger.claims : [];
    expect(recorded).toMatchObject({ id: image });
    expect(recorded?.origin).toBe(origin);
  });

  test('a refusal that left nothing closes the attempt', () => {
    const trail = [intended, { of: 'post', ...timed, error: quota('POST') } as EffectAnswer, observed];
    const expected = closeAttempt(noteRefusal(opened, image, iso(wall)), image);
    expect(ask(trail, { ledger: opened, rows: [] })).toEqual({ effect: 'close', ledger: expected });
  });
});

describe('what differs', () => {
  const minutes = 60_000;
  const generation = { metadata: { generation: 3 } };
  const settled = { settledGeneration: 3, settledAt: monotonic - 1_000, lastEffectAt: monotonic - 5_000 };
  const unsettled = { settledGeneration: 3, settledAt: monotonic - 5_000, lastEffectAt: monotonic - 1_000 };
  const aim = 'spec.tags: [1.2.1, vanilla]';
  const [untag, tag] = [1, 2];
  const target = { [aim]: tag };
  const change = (tries: number, agoMs: number, changes: Partial<NonNullable<Ledger['change']>> = {}) => ({
    ledger: { ...ours, change: { generation: 3, target, sentAt: iso(wall - agoMs), tries, ...changes } },
  });
  const sent = ({ ledger }: ReturnType<typeof change>) => ({
    ledger,
    memory: { ...unsettled, sentChange: changeText(ledger.change) },
  });
  const untagged = { ...generation, rows: [row({ tags: [] })] };
  const saying = (status: 'True' | 'False', reason: string) => ({
    status: { observedGeneration: 3, conditions: conditionsAs(3, wall, [['Ready', status, reason]]) },
  });
  const tried = (tries: number) => ({ action: 'update', ledger: { change: { tries } } });
  const stalled = { result: 'refused', reason: 'UpdateHasNoEffect' };

  test.each<readonly [string, SituationOptions, object]>([
    [
      'asked for by the user: no correction',
      { ledger: ours },
      { ...tried(0), earlyStatus: { reason: 'Provisioning' } },
    ],
    ['asked for, and accepted without effect', sent(change(0, 1)), tried(2)],
    ['twice', sent(change(2, 1)), stalled],
    ['asked for by a process that perhaps never sent it', { ...change(2, 1), memory: unsettled }, tried(2)],
    [
      'asked for, and no answer says what became of it',
      { ...change(0, 1), memory: { ...unsettled, unansweredChange: true } },
      tried(0),
    ],
    ['twice, once without an answer', { ...change(2, 1), memory: { ...unsettled, unansweredChange: true } }, tried(2)],
    [
      'the next request for the same aim',
      { ...change(0, 1, { target: { [aim]: untag } }), memory: unsettled },
      tried(0),
    ],
    [
      'an earlier one, and no answer says what became of it',
      { ...change(2, 1, { target: { [aim]: tag + 1 } }), memory: { ...unsettled, unansweredChange: true } },
      { ...tried(2), repeats: true },
    ],
    [
      'the next step of one of several aims is not an earlier one',
      sent(change(2, 1, { target: { [aim]: tag, x: 1 } })),
      tried(2),
    ],
    [
      'right when its request ended, and undone',
      { ...change(1, 1), memory: { ...settled, lastEffectAt: settled.settledAt } },
      tried(2),
    ],
    [
      'of a status from before the last request nothing is concluded',
      { ...change(1, 1), ...saying('True', 'Available'), memory: { lastEffectAt: monotonic } },
      tried(1),
    ],
    ['of no status nothing is concluded', change(1, 1), tried(1)],
    ['an earlier one again', sent(change(2, 1, { target: { [aim]: tag + 1 } })), stalled],
    ['undone after the user had it so', { ...change(0, 1), memory: settled }, tried(1)],
    [
      'undone, and nothing on record: the first correction',
      { ledger: ours, memory: settled },
      { ...tried(1), earlyStatus: { reason: 'CorrectingDrift' } },
    ],
    ['undone: the second correction', { ...change(1, 1), memory: settled }, tried(2)],
    ['another thing undone counts as well', { ...change(1, 1, { target: { x: 1 } }), memory: settled }, tried(2)],
    ['also when it is another thing', { ...change(2, 1, { target: { x: 1 } }), memory: settled }, stalled],
    ['not sooner than ten minutes later', { ...change(2, 10 * minutes - 1), memory: settled }, stalled],
    ['slowly tried again', { ...change(2, 10 * minutes), memory: settled }, tried(3)],
    ['undone after half an hour: the count starts anew', { ...change(2, 30 * minutes), memory: settled }, tried(1)],
    ['a moment sooner it does not', { ...change(2, 30 * minutes - 1), memory: settled }, tried(3)],
    [
      'after an edit of the spec the count starts anew',
      { ...change(2, 1, { generation: 2 }), memory: { ...settled, settledGeneration: 2 } },
      { ...tried(0), earlyStatus: { reason: 'Provisioning' } },
    ],
    ['a time that cannot be read is long ago', { ...change(2, 1, { sentAt: '?' }), memory: settled }, tried(1)],
    [
      'the next step of one correction is no other correction',
      { ...change(2, 1, { target: { x: 1 } }), memory: unsettled },
      tried(2),
    ],
    [
      'what follows a slow try that had its effect does not wait as long again',
      { ...change(3, 1, { target: { [aim]: untag } }), memory: unsettled },
      tried(2),
    ],
    [
      'undone while nobody was there: told by the status',
      { ...change(1, 1), ...saying('True', 'Available') },
      tried(2),
    ],
    ['undone again while nobody was there', { ...change(2, 1), ...saying('True', 'Available') }, stalled],
    [
      'told already, and now it is another thing',
      { ...change(2, 1, { target: { x: 1 } }), ...saying('False', 'UpdateHasNoEffect') },
      stalled,
    ],
    [
      'the next step after a restart is no other correction',
      { ...change(2, 1, { target: { x: 1 } }), ...saying('False', 'CorrectingDrift') },
      tried(2),
    ],
  ])('%s', (_name, options, expected) => {
    expect(planned({ ...untagged, ...options })).toMatchObject(expected);
  });

  test('is one request of the service at a time', () => {
    const message = 'updating tags from [] to [1.2.1, vanilla]';
    expect(planned({ ...untagged, ledger: ours })).toMatchObject({
      action: 'update',
      id: image,
      change: { request: 'tag', tags: ['1.2.1', 'vanilla'] },
      doing: `update ImageRegistration ${image} (tags from [] to [1.2.1, vanilla])`,
      earlyStatus: { result: 'waiting', on: 'service', reason: 'Provisioning', message },
      report: {
        outcome: { result: 'progressed', reason: 'Provisioning', message },
        event: { type: 'Normal', reason: 'Updating', action: 'Update', note: message },
      },
    });
  });

  test('while it is being created, it is reported with that', () => {
    const begun = { at: 0, event: { type: 'Normal', reason: 'Created', action: 'Create', note: '' } } as const;
    const result = planned({ ...untagged, ledger: ours, memory: { begun } });
    expect('report' in result && result.report).toEqual({
      outcome: { result: 'progressed', reason: 'Provisioning', message: 'updating tags from [] to [1.2.1, vanilla]' },
    });
  });

  test('is told in words that name both who may be the cause', () => {
    expect(planned({ ...untagged, ...change(2, 1), memory: settled })).toMatchObject({
      ...stalled,
      message: expect.stringMatching(
        /^updating \(tags from \[\] to \[1\.2\.1, vanilla\]\) was requested 2 times and undone each time: another client changes it back, or the service ignores the request\. Stop that client, or change the spec\. The operator retries every 10 minutes$/,
      ),
    });
  });

  test('nothing differs: settled, and the last change stays on record', () => {
    expect(planned({ ...generation, rows: [row()], ...change(2, 1) })).toEqual({ result: 'settled' });
  });
});

describe('the end', () => {
  const deleting = { deleting: true, rows: [row()] };
  const policy = (deletionPolicy: string) => ({ spec: { ...spec, deletionPolicy } });
  test.each<readonly [string, SituationOptions, object]>([
    ['what we registered is unregistered', { ledger: ours }, { action: 'delete', claims: ours.claims }],
    [
      'what was there before is left, and it is said how to have it removed',
      { ledger: found },
      releases(
        'Released',
        expect.stringMatching(/^left in the service: images 7a1f.*was there before.*deletionPolicy to Delete/),
      ),
    ],
    ['which needs no Connection', { ledger: found, service: missingConnection }, { action: 'release' }],
    ['unless Delete is set', { ledger: found, ...policy('Delete') }, { action: 'delete', claims: found.claims }],
    ['Orphan leaves it', { ledger: found, ...policy('Orphan') }, releases('Orphaned')],
    ['Orphan leaves ours, too', { ledger: ours, ...policy('Orphan') }, releases('Orphaned')],
    [
      'what belongs to another is left',
      { ledger: ours, contests: { [image]: { by: 'ImageRegistration/b/x', wins: true } } },
      releases('Released'),
    ],
    ['with the ledger lost nothing proves that it is ours', { held: true, ...waited }, releases('Deleted')],
    [
      'nor does its name, which anybody can give',
      { held: true, ...waited, rows: [row({ name: clusterName })] },
      releases('Deleted'),
    ],
    ['with a spec that cannot be read', { ledger: ours, spec: { imageID: image, username: 7 } }, { action: 'delete' }],
    [
      'what the spec does not name is not deleted, whatever the ledger says',
      { ledger: ledgerOf([{ ...claim, name: 'another', id: 'another' }]) },
      { result: 'refused', reason: 'OwnershipUnconfirmed', message: expect.stringContaining('images another') },
    ],
    [
      'nor what the ledger says is of another id than the spec',
      { ledger: ledgerOf([{ ...claim, id: 'another' }]) },
      { result: 'refused', reason: 'OwnershipUnconfirmed' },
    ],
    [
      'while another has a confirmed claim it is waited for that one',
      { ledger: ours, contests: { [image]: { by: 'ImageRegistration/b/x', wins: false } } },
      {
        result: 'waiting',
        on: 'time',
        reason: 'Deleting',
        blockedOn: [{ kind: 'ImageRegistration', name: 'b/x', reason: 'DuplicateClaim' }],
      },
    ],
    [
      'also where the other one is not named',
      { ledger: ours, contests: { [image]: { by: somebodyElse, wins: false } } },
      { blockedOn: [{ kind: 'ImageRegistration', name: 'of another namespace', reason: 'DuplicateClaim' }] },
    ],
  ])('%s', (_name, options, expected) => {
    expect(planned({ ...deleting, ...options })).toMatchObject(expected);
  });

  test('it is over as soon as a list lacks it: the image itself stays', () => {
    const input = situationOf({ kind, spec, ledger: ours, deleting: true, view: viewOf([]) });
    const step = { plan: plan(input), ledger: input.ledger, input, trail: [] };
    expect(next(step)).toEqual({ effect: 'release' });
  });
});
