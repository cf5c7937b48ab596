// A plugin of Headlamp: a button that leads from an object to the page of the operator. It runs as it is, without a build, in a function whose
// only global name of Headlamp is pluginLib. The version of headlamp-plugin in package.json says which API it uses; nothing is installed.

/** Address of the page of the operator, such as https://dataprocessing.example.com. Empty: only objects with the annotation have the button. */
const page = '';

const group = 'dataprocessing.dev';
/** The only kind of the group whose objects are in no namespace. The page has an empty one in their addresses. */
const inNoNamespace = 'SharedConnection';
/** The one from which Argo CD makes its link: an address, perhaps after a title and a bar. */
const annotation = 'link.argocd.argoproj.io/external-link';

/** Undefined: the object has none. Whoever edits the object chooses the annotation, so nothing but a page is opened. */
function addressOf({ apiVersion = '', kind = '', metadata = {} }) {
  if (!apiVersion.startsWith(`${group}/`)) return undefined;
  const [, stated] = /^(?:[^|]*\|)?(https?:\/\/.*)$/i.exec(metadata.annotations?.[annotation] ?? '') ?? [];
  if (stated !== undefined) return stated;
  const { namespace = kind === inNoNamespace ? '' : undefined, name } = metadata;
  if (page === '' || namespace === undefined) return undefined;
  const plural = `${kind.toLowerCase()}s`.replace(/ys$/, 'ies');
  const path = [plural, namespace, name].map(encodeURIComponent).join('/');
  return `${page.replace(/\/+$/, '')}/#/${path}`;
}

function OpenInDataprocessing({ item }) {
  const href = item ? addressOf(item.jsonData ?? item) : undefined;
  if (href === undefined) return null;
  return pluginLib.React.createElement(pluginLib.CommonComponents.ActionButton, {
    description: 'Open in dataprocessing',
    icon: 'mdi:open-in-new',
    iconButtonProps: { href, target: '_blank', rel: 'noopener noreferrer' },
  });
}

pluginLib.registerDetailsViewHeaderAction(OpenInDataprocessing);
