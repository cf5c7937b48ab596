// The page as HTML: without a script, so that the browser need not run any.
import { type Html, html } from './html.ts';
import type { ClusterRow, clusterRows, RunRow, runRows } from './rows.ts';

const refreshSeconds = 5;

export interface LoginForm {
  readonly tenant: string;
  /** Without authentication, there is no token to ask for. */
  readonly needsToken: boolean;
  readonly problem?: string;
}

export interface PageContent {
  readonly tenant: string;
  readonly clusters: ReturnType<typeof clusterRows>;
  readonly runs: ReturnType<typeof runRows>;
  readonly canSignOut: boolean;
}

function frame(content: Html, head?: Html): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Data processing</title><link rel="stylesheet" href="/page/style.css">${head}</head>
<body>${content}</body>
</html>
`.markup;
}

export function loginPage({ tenant, needsToken, problem }: LoginForm): string {
  const token = html`<label>Token <input name="token" type="password" autocomplete="off" required></label>`;
  return frame(html`<main><h1>Data processing</h1>
${problem === undefined ? undefined : html`<p class="problem" role="alert">${problem}</p>`}
<form method="post" action="/page/login">
<label>Tenant <input name="tenant" value="${tenant}" required></label>
${needsToken ? token : undefined}
<button>Show</button>
</form></main>`);
}

export function overviewPage({ tenant, clusters, runs, canSignOut }: PageContent): string {
  const refresh = html`<meta http-equiv="refresh" content="${refreshSeconds}">`;
  const signOut = html`<form method="post" action="/page/logout"><button>Sign out</button></form>`;
  const content = html`<header><h1>Data processing</h1><span>Tenant ${tenant}</span>${canSignOut ? signOut : undefined}</header>
<main><h2>Clusters</h2>${clusterTable(clusters)}
<h2>Runs</h2>${runTable(runs)}</main>`;
  return frame(content, refresh);
}

function table(headers: readonly string[], rows: readonly Html[], more: number): Html {
  if (rows.length === 0) return html`<p>None.</p>`;
  const head = headers.map((header) => html`<th scope="col">${header}</th>`);
  const rest = more === 0 ? undefined : html`<p>${more} older ones are not shown.</p>`;
  return html`<table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table>${rest}`;
}

const links = (all: ClusterRow['links']): readonly Html[] =>
  all.map(({ name, url }) => html`<a href="${url}" rel="noopener noreferrer" target="_blank">${name}</a> `);

function clusterTable({ rows, more }: PageContent['clusters']): Html {
  const shown = rows.map(
    (row: ClusterRow) =>
      html`<tr><td>${row.name}</td><td>${row.status}</td><td>${row.machines}</td><td>${row.plugin}</td><td>${row.message}</td><td>${links(row.links)}</td><td>${row.created}</td></tr>`,
  );
  return table(['Name', 'Status', 'Machines', 'Plugin', 'Message', 'Pages', 'Created'], shown, more);
}

function runTable({ rows, more }: PageContent['runs']): Html {
  const shown = rows.map(
    (row: RunRow) =>
      html`<tr><td>${row.id}</td><td>${row.job}</td><td>${row.cluster}</td><td>${row.status}</td><td>${row.message}</td><td>${links(row.links)}</td><td>${row.started}</td><td>${row.ended}</td></tr>`,
  );
  return table(['Run', 'Job', 'Cluster', 'Status', 'Message', 'Pages', 'Started', 'Ended'], shown, more);
}

export const style = `:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { margin: 0; }
header, main { padding: 0.75rem 1.5rem; }
header { display: flex; gap: 1.5rem; align-items: center; border-bottom: 1px solid gray; }
header form { margin-left: auto; }
h1 { font-size: 1.1rem; margin: 0.25rem 0; }
h2 { font-size: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid gray; overflow-wrap: anywhere; min-width: 5rem; }
th { white-space: nowrap; }
label { display: block; margin: 0.5rem 0; }
input, button { font: inherit; padding: 0.3rem 0.6rem; }
.problem { border: 1px solid crimson; padding: 0.5rem; }
`;
