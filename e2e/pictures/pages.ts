import { pages as protectedPages } from '#contract/roles.ts'

/** What stands in addresses where a pattern has `$name`. */
export type Ids = Record<
  | 'orgId'
  | 'userId'
  | 'groupId'
  | 'videoId'
  | 'transmissionId'
  | 'assignmentId'
  | 'eventAddressId'
  | 'operationId'
  | 'connectionId'
  | 'systemConnectionId'
  | 'language',
  string
>

export type Pictured = {
  name: string
  address: string
  /** Who looks at it; nobody is signed in on public pages. */
  reader: 'admin' | 'superadmin' | 'nobody'
  /** What is done before the picture is taken. */
  press?: readonly Press[]
  /** What is done afterwards, so that the demo stays as it was. */
  undo?: readonly Press[]
  /** A file that is given to the page, of these bytes. */
  file?: Uint8Array
  /** All of the page, however long it is. */
  whole?: true
  /** What becomes of what the page asks the server: it stays open, or nothing gets there. */
  answers?: 'none' | 'lost'
}

/** A control that is pressed, or a key with those that are held. */
export type Press =
  | { role: 'button' | 'link' | 'tab' | 'checkbox' | 'menuitem'; name: RegExp }
  | { key: string }

/** Personal links of people with whom it stands so, HTML of mails, and a certificate. */
export type Personal = {
  links: Record<'watch' | 'halfway' | 'late' | 'failed', string>
  mails: Record<'first' | 'reminder', string>
  certificate: Uint8Array
}

const publicPages = [
  '/auth-1/sign-in',
  '/auth-1/sign-up',
  '/auth-1/reset-password',
  '/error/404',
  '/error/500',
  '/maintenance',
  '/verify',
]

/** "/content/$videoId/quiz" is content-video-quiz. */
const nameOf = (address: string) =>
  address
    .slice(1)
    .replaceAll(/\$(\w+)Id/g, '$1')
    .replaceAll('/', '-')

/** Every page that exists, but the layouts of the template, of which the looks are pictures enough. */
export function picturedPages(ids: Ids, { links, mails, certificate }: Personal): Pictured[] {
  const ownPages = protectedPages
    .filter(
      ({ path }) =>
        !path.startsWith('/layouts/') && !(path.includes('$operationId') && ids.operationId === ''),
    )
    .map(({ path, roles }): Pictured => {
      const address = path.replaceAll(/\$(\w+)/g, (whole, name: keyof Ids) => ids[name] || whole)
      return { name: nameOf(path), address, reader: roles.length === 1 ? 'superadmin' : 'admin' }
    })
  const tabs = ['users', 'groups', 'invitations'].map((tab): Pictured => ({
    name: `organization-${tab}`,
    address: `/organizations/${ids.orgId}/dashboard?tab=${tab}`,
    reader: 'admin',
  }))
  return [
    ...publicPages.map((address): Pictured => ({ name: nameOf(address), address, reader: 'nobody' })),
    { name: 'watch', address: links.watch, reader: 'nobody' },
    { name: 'watch-halfway', address: links.halfway, reader: 'nobody' },
    { name: 'watch-late', address: links.late, reader: 'nobody' },
    { name: 'watch-failed', address: links.failed, reader: 'nobody' },
    { name: 'own-training', address: links.watch.replace(/\/video\/[^?]+/, '/me'), reader: 'nobody' },
    { name: 'mail-first', address: asPage(mails.first), reader: 'nobody' },
    { name: 'mail-reminder', address: asPage(mails.reminder), reader: 'nobody' },
    { name: 'certificate', address: '/verify', reader: 'nobody', file: certificate },
    ...ownPages,
    ...tabs,
    { name: 'dashboard-all', address: '/dashboard', reader: 'superadmin' },
    ...states(ids),
    ...overlays(ids),
    ...unanswered(ids),
    ...mainPages(ids).map(([name, address]): Pictured => ({
      name: `${name}-whole`,
      address,
      reader: 'admin',
      whole: true,
    })),
  ]
}

const asPage = (html: string) => `data:text/html;charset=utf-8,${encodeURIComponent(html)}`

/** The ten that are looked at most. */
function mainPages({
  orgId,
  userId,
  videoId,
  transmissionId,
  assignmentId,
}: Ids): (readonly [string, string])[] {
  return [
    ['dashboard', '/dashboard'],
    ['people', `/organizations/${orgId}/dashboard?tab=users`],
    ['person', `/organizations/${orgId}/users/${userId}`],
    ['content', '/content'],
    ['viewing', `/content/${videoId}/viewing`],
    ['transmissions', '/transmissions'],
    ['transmission', `/transmissions/${transmissionId}`],
    ['assignment', `/assignments/${orgId}/${assignmentId}`],
    ['matrix', '/reports/training-matrix'],
    ['evidence', `/organizations/${orgId}/users/${userId}/videos/${videoId}`],
  ]
}

/** What lies over a page. */
function overlays({ orgId, videoId }: Ids): Pictured[] {
  const people = `/organizations/${orgId}/dashboard?tab=users`
  const group = `/organizations/${orgId}/dashboard?tab=groups`
  const rowMenu = { role: 'button', name: /^Actions for / } as const
  return [
    { name: 'palette', address: '/dashboard', reader: 'admin', press: [{ key: 'Control+k' }] },
    {
      name: 'notices',
      address: '/dashboard',
      reader: 'admin',
      press: [{ role: 'button', name: /^Notifications/ }],
    },
    { name: 'row-menu', address: people, reader: 'admin', press: [rowMenu] },
    {
      name: 'dialog-remove',
      address: `/content/${videoId}`,
      reader: 'admin',
      press: [{ role: 'button', name: /^Remove$/ }],
    },
    {
      name: 'toast-undo',
      address: group,
      reader: 'admin',
      press: [rowMenu, { role: 'menuitem', name: /^Remove/ }, { role: 'button', name: /^Remove group$/ }],
      undo: [{ role: 'button', name: /^Undo$/ }],
    },
  ]
}

/** What pages look like where nothing is found, where something is chosen, and where something is wrong. */
function states({ orgId, videoId, transmissionId }: Ids): Pictured[] {
  const people = `/organizations/${orgId}/dashboard?tab=users`
  return [
    { name: 'people-none', address: `${people}&q=nobody-is-called-so`, reader: 'admin' },
    {
      name: 'people-chosen',
      address: people,
      reader: 'admin',
      press: [{ role: 'checkbox', name: /^Select (?!all)/ }],
    },
    {
      name: 'person-wrong',
      address: `/organizations/${orgId}/users/create`,
      reader: 'admin',
      press: [{ role: 'button', name: /^(Create|Add)/ }],
    },
    { name: 'composer-chosen', address: `/transmissions/create?videoId=${videoId}`, reader: 'admin' },
    {
      name: 'composer-follow-up',
      address: `/transmissions/create?follows=${transmissionId}`,
      reader: 'admin',
    },
    {
      name: 'report-none',
      address: '/reports/user-engagement?from=2025-01-05&to=2025-01-06',
      reader: 'admin',
    },
    {
      name: 'report-filters',
      address: '/reports/user-engagement',
      reader: 'admin',
      press: [{ role: 'button', name: /^(More f|F)ilters$/ }],
    },
    {
      name: 'people-filter',
      address: people,
      reader: 'admin',
      press: [{ role: 'button', name: /^(State|Filters)/ }],
    },
    { name: 'matrix-none', address: '/reports/training-matrix?q=nobody-is-called-so', reader: 'admin' },
    {
      name: 'matrix-look',
      address: '/reports/training-matrix',
      reader: 'admin',
      press: [
        { role: 'button', name: /^List options$/ },
        { role: 'button', name: /^Videos, order and look$/ },
      ],
    },
    { name: 'unknown-page', address: '/no-such-page', reader: 'admin' },
  ]
}

/** Pages of each kind while they wait, and where nothing comes. */
function unanswered({ orgId, userId, videoId, transmissionId }: Ids): Pictured[] {
  const pages = {
    dashboard: '/dashboard',
    people: `/organizations/${orgId}/dashboard?tab=users`,
    person: `/organizations/${orgId}/users/${userId}`,
    content: '/content',
    questions: `/content/${videoId}/quiz`,
    transmission: `/transmissions/${transmissionId}`,
    report: '/reports/user-engagement',
    matrix: '/reports/training-matrix',
  }
  return Object.entries(pages).flatMap(([name, address]) =>
    (['none', 'lost'] as const).map((answers): Pictured => ({
      name: `${name}-${answers === 'none' ? 'waits' : 'lost'}`,
      address,
      reader: 'admin',
      answers,
    })),
  )
}

/** Pages that are looked at in every skin. */
export const skinned = ['dashboard', 'organization-users', 'transmissions-create']

/** Our page beside pages of the same kind in pictures of other consoles: `<folder>/<name>-<width>-<theme>.png`. */
export const pairs: readonly { kind: string; ours: string; theirs: readonly string[] }[] = [
  { kind: 'list', ours: 'organization-users', theirs: ['shadcn-admin/list-users', 'oxide/list-instances'] },
  {
    kind: 'list of things sent',
    ours: 'transmissions',
    theirs: ['shadcn-admin/list-tasks', 'oxide/list-disks-states'],
  },
  { kind: 'record', ours: 'organizations-org-users-user', theirs: ['oxide/record-instance'] },
  { kind: 'record with figures', ours: 'transmissions-transmission', theirs: ['oxide/record-metrics'] },
  { kind: 'long form', ours: 'composer-chosen', theirs: ['oxide/form-full-page'] },
  { kind: 'form over a list', ours: 'organizations-org-groups-create', theirs: ['oxide/form-side-panel'] },
  {
    kind: 'form with faults',
    ours: 'person-wrong',
    theirs: ['oxide/form-errors', 'shadcn-admin/form-dialog-errors'],
  },
  { kind: 'empty list', ours: 'organization-invitations', theirs: ['oxide/empty-instances'] },
  { kind: 'nothing found', ours: 'people-none', theirs: ['shadcn-admin/empty-no-results'] },
  { kind: 'not found', ours: 'error-404', theirs: ['oxide/404', 'shadcn-admin/404'] },
  { kind: 'dashboard', ours: 'dashboard', theirs: ['shadcn-admin/dashboard', 'oxide/dashboard-utilization'] },
  { kind: 'report', ours: 'reports-user-engagement', theirs: ['oxide/dashboard-utilization'] },
  {
    kind: 'settings',
    ours: 'settings',
    theirs: ['shadcn-admin/settings-profile', 'oxide/settings-ssh-keys'],
  },
  { kind: 'chosen rows', ours: 'people-chosen', theirs: ['shadcn-admin/list-tasks-selected'] },
  { kind: 'filter', ours: 'people-filter', theirs: ['shadcn-admin/list-tasks-filter'] },
  { kind: 'sign-in', ours: 'auth-1-sign-in', theirs: ['shadcn-admin/sign-in', 'oxide/sign-in'] },
  { kind: 'palette', ours: 'palette', theirs: ['oxide/palette', 'shadcn-admin/palette'] },
  { kind: 'row menu', ours: 'row-menu', theirs: ['oxide/list-instances-rowmenu'] },
  {
    kind: 'question before removing',
    ours: 'dialog-remove',
    theirs: ['oxide/dialog-delete', 'shadcn-admin/dialog-delete'],
  },
]
