import { pages as protectedPages } from '#contract/roles.ts'

/** What stands in addresses where a pattern has `$name`. */
export type Ids = Record<
  'orgId' | 'userId' | 'groupId' | 'videoId' | 'transmissionId' | 'assignmentId' | 'operationId',
  string
>

export type Pictured = {
  name: string
  address: string
  /** Who looks at it; nobody is signed in on public pages. */
  reader: 'admin' | 'superadmin' | 'nobody'
  /** What is done before the picture is taken. */
  press?: readonly { role: 'button' | 'link' | 'tab' | 'checkbox'; name: RegExp }[]
  /** What becomes of what the page asks the server: it stays open, or nothing gets there. */
  answers?: 'none' | 'lost'
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
export function picturedPages(ids: Ids, link: string): Pictured[] {
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
    { name: 'watch', address: link, reader: 'nobody' },
    { name: 'own-training', address: link.replace(/\/video\/[^?]+/, '/me'), reader: 'nobody' },
    ...ownPages,
    ...tabs,
    { name: 'dashboard-all', address: '/dashboard', reader: 'superadmin' },
    ...states(ids),
    ...unanswered(ids),
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
      press: [{ role: 'button', name: /^Filter$/ }],
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
  { kind: 'sign-in', ours: 'auth-1-sign-in', theirs: ['oxide/sign-in', 'shadcn-admin/sign-in'] },
  { kind: 'dashboard', ours: 'dashboard', theirs: ['oxide/dashboard-utilization', 'shadcn-admin/dashboard'] },
  { kind: 'list', ours: 'organization-users', theirs: ['oxide/list-instances', 'shadcn-admin/list-users'] },
  { kind: 'chosen rows', ours: 'people-chosen', theirs: ['shadcn-admin/list-tasks-selected'] },
  {
    kind: 'record',
    ours: 'transmissions-transmission',
    theirs: ['oxide/record-instance', 'shadcn-admin/record-chat'],
  },
  {
    kind: 'form',
    ours: 'composer-chosen',
    theirs: ['oxide/form-full-page', 'shadcn-admin/settings-profile'],
  },
  {
    kind: 'report',
    ours: 'reports-user-engagement',
    theirs: ['oxide/record-metrics', 'shadcn-admin/dashboard'],
  },
  { kind: 'empty', ours: 'people-none', theirs: ['oxide/empty-instances', 'shadcn-admin/empty-no-results'] },
  { kind: 'error', ours: 'person-wrong', theirs: ['oxide/form-errors', 'shadcn-admin/form-dialog-errors'] },
  { kind: '404', ours: 'error-404', theirs: ['oxide/404', 'shadcn-admin/404'] },
]
