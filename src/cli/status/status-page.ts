// The overview as text. PURE.
import { cut, labelled, oneLine, type Paint, pageWidth, type Style, table } from '../output/page.ts';
import { needsUser, type Overview, type Unready } from './overview.ts';

const mostLines = 50;

const styles: Readonly<Record<string, Style>> = {
  stalled: 'red',
  unapproved: 'red',
  failed: 'red',
  expired: 'dim',
  suspended: 'dim',
};

interface View {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly paint: Paint;
}

export function statusPage(overview: Overview, { namespace, paint }: View): string {
  const { kinds, unready, unread } = overview;
  const where = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
  const rows = kinds.map(({ kind, total, states, isPartial }) => {
    const others = Object.entries(states).flatMap(([state, count]) => (state === 'ready' ? [] : [`${count} ${state}`]));
    return [kind, `${total}${isPartial ? '+' : ''}`, `${states.ready ?? 0}`, others.join(', ')];
  });
  const lines = [
    paint('bold', `Objects in ${where}`),
    ...(rows.length === 0 ? ['there are none'] : table([['KIND', 'TOTAL', 'READY', 'OTHERS'], ...rows])),
    ...unread.flatMap(({ kind, why }) => labelled(kind, `cannot be read: ${why}`, 2)),
    ...unreadyLines(unready, namespace === undefined, paint),
    ...(unready.length > 0 ? ['', 'kubectl dataprocessing why KIND/NAME explains one of them.'] : []),
    ...(unready.length === 0 && !needsUser(overview) && rows.length > 0 ? ['', paint('green', 'All are ready.')] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function unreadyLines(unready: readonly Unready[], isEverywhere: boolean, paint: Paint): readonly string[] {
  if (unready.length === 0) return [];
  const shown = unready.slice(0, mostLines);
  const more = unready.length - shown.length;
  const lines = shown.map(({ kind, namespace, name, state, reason, message }) => {
    const object = oneLine(`${kind.toLowerCase()}/${isEverywhere && namespace !== '' ? `${namespace}/` : ''}${name}`);
    const begin = `${object}  ${paint(styles[state] ?? 'yellow', state)} ${oneLine(reason)}: `;
    return `${begin}${cut(message, Math.max(20, pageWidth - object.length - state.length - reason.length - 5))}`;
  });
  return ['', paint('bold', 'Not ready'), ...lines, ...(more > 0 ? [`and ${more} more: -o json lists all`] : [])];
}
