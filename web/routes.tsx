/*
 * How a page is made. A screen is one file in its feature's folder, with its paragraphs always in this order:
 *
 *   1. `const empty = …`                       what stands there when there is nothing (lists)
 *   2. `export const search = z.object(…)`     the state that lives in the address; every field `z.catch`
 *      `export function load(input)`           fetches what the first drawing needs, in parallel, with `prefetch`
 *   3. `const columns = …`                     what does not change
 *   4. `export function XPage()`               mutations (`useChange`), actions, table, dialogs
 *
 * The page reads `usePageSearch(search)` and `usePathParams('/organizations/$orgId/edit')` (layout/page.ts), and its data with `useList`
 * or `useEndpoint` (api/query.ts) by the same endpoint and query as `load`. Addresses come from paths.ts.
 * A page joins by its row below; its roles come from `pages` in contract/roles.ts. Nothing else is registered.
 */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  type AnyRoute,
} from '@tanstack/react-router'
import { layoutPages, type PageParams, type PagePath } from '#contract/roles.ts'
import { lazy, Suspense, type ComponentType } from 'react'
import { session } from './api/session.ts'
import { paths } from './paths.ts'
import face from './layout/Face.module.css'
import { NotFound, RouteError, RouteErrorAlone } from './layout/ErrorPage.tsx'
import { DemoLayout } from './layout/demo/DemoLayout.tsx'
import { admit } from './layout/gates.ts'
import { goToSignIn } from './session/leave.ts'
import { Protected } from './layout/Protected.tsx'
import { useSession } from './session/useSession.ts'
import { withWorking } from './session/workingOrganization.ts'
import { PageFrame, type FrameProps } from './ui/PageFrame.tsx'

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundAnywhere,
  errorComponent: RouteErrorAlone,
})

/** Who is signed in has the menu beside it. */
function NotFoundAnywhere() {
  if (useSession().isAuthenticated)
    return (
      <Protected>
        <NotFound />
      </Protected>
    )
  return (
    <main className={face.alone}>
      <NotFound />
    </main>
  )
}

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: () => <Protected />,
  errorComponent: RouteErrorAlone,
})

type Screen<Params> = {
  page: ComponentType
  load?: ((input: { params: Params; search: unknown }) => Promise<unknown>) | undefined
  /** What of it stands while its loader waits, and where nothing came. */
  frame?: ComponentType<FrameProps> | undefined
}
type Module<Name extends string, Params> = Record<Name, ComponentType> &
  Pick<Screen<Params>, 'load'> & { Frame?: ComponentType<FrameProps> }

/** A screen by its file and the name of its component. */
function screen<const Name extends string, Params>(
  file: () => Promise<Module<Name, Params>>,
  name: Name,
): () => Promise<Screen<Params>> {
  return async () => {
    const module = await file()
    return { page: module[name], load: module.load, frame: module.Frame }
  }
}

const Unframed = () => <PageFrame name="" />

/** A protected page: admitted by role, fetched when it is near, its data loaded before it is drawn. */
function page(path: string, open: () => Promise<Screen<never>>, parent: AnyRoute = inside) {
  let Frame: ComponentType<FrameProps> | undefined
  const Coming = lazy(async () => ({ default: (await open()).frame ?? Unframed }))
  return createRoute({
    getParentRoute: () => parent,
    path,
    beforeLoad: async ({ location }) => {
      const verdict = admit(session.read(), path)
      if (verdict.kind === 'elsewhere') throw redirect({ to: verdict.to, replace: true })
      if (verdict.kind === 'sign-in') {
        goToSignIn(location.href)
        // The page is being left for another entry; nothing of this one is drawn any more.
        await new Promise<never>(() => undefined)
      }
      const search = withWorking(location.pathname, location.searchStr)
      if (search) throw redirect({ to: location.pathname, search, replace: true })
    },
    loader: async ({ params, location }) => {
      const { load, frame } = await open()
      Frame = frame
      // The address has matched the pattern, and so has its parts.
      await load?.({ params: params as never, search: location.search })
    },
    component: lazyRouteComponent(async () => ({ default: (await open()).page })),
    // Until its file is here, all that is known of a page is where its title stands.
    pendingComponent: () => (
      <Suspense fallback={<PageFrame name="" bones={<></>} />}>
        <Coming />
      </Suspense>
    ),
    errorComponent: (props) => <RouteError {...props} frame={Frame} />,
  })
}

/** Address to screen: every page of contract/roles.ts has one, which asks for no part that its address does not have. */
const screens: { [Path in PagePath]: () => Promise<Screen<PageParams<Path>>> } = {
  '/dashboard': screen(() => import('./dashboard/DashboardPage.tsx'), 'DashboardPage'),
  '/dashboard/failed-mails': screen(() => import('./dashboard/FailedMails.tsx'), 'FailedMails'),
  '/organizations': screen(() => import('./organizations/OrganizationsPage.tsx'), 'OrganizationsPage'),
  '/organizations/create': screen(
    () => import('./organizations/OrganizationCreate.tsx'),
    'OrganizationCreate',
  ),
  '/organizations/invitations': screen(
    () => import('./people/invitations/SuperadminInvitations.tsx'),
    'SuperadminInvitations',
  ),
  '/organizations/invite': screen(() => import('./people/invitations/InvitePage.tsx'), 'SuperadminInvite'),
  '/organizations/$orgId/invite': screen(
    () => import('./people/invitations/InvitePage.tsx'),
    'OrganizationInvite',
  ),
  '/organizations/$orgId/edit': screen(
    () => import('./organizations/OrganizationEdit.tsx'),
    'OrganizationEdit',
  ),
  '/organizations/$orgId/sign-in': screen(
    () => import('./organizations/sign-in/SignInPage.tsx'),
    'SignInPage',
  ),
  '/organizations/$orgId/connections/create': screen(
    () => import('./organizations/sign-in/ConnectionCreate.tsx'),
    'ConnectionCreate',
  ),
  '/organizations/$orgId/connections/$connectionId': screen(
    () => import('./organizations/sign-in/ConnectionPage.tsx'),
    'ConnectionPage',
  ),
  '/organizations/$orgId/dashboard': screen(
    () => import('./dashboard/organization/OrganizationDashboard.tsx'),
    'OrganizationDashboard',
  ),
  '/organizations/$orgId/systems': screen(
    () => import('./organizations/systems/SystemsPage.tsx'),
    'SystemsPage',
  ),
  '/organizations/$orgId/systems/$eventAddressId': screen(
    () => import('./organizations/systems/SystemPage.tsx'),
    'SystemPage',
  ),
  '/organizations/$orgId/users/create': screen(() => import('./people/UserCreate.tsx'), 'UserCreate'),
  '/organizations/$orgId/users/$userId': screen(() => import('./person/PersonPage.tsx'), 'PersonPage'),
  '/organizations/$orgId/users/$userId/videos/$videoId': screen(
    () => import('./evidence/EvidencePage.tsx'),
    'EvidencePage',
  ),
  '/organizations/$orgId/users/import': screen(() => import('./imports/ImportPage.tsx'), 'ImportPage'),
  '/organizations/$orgId/users/$userId/edit': screen(() => import('./people/UserEdit.tsx'), 'UserEdit'),
  '/organizations/$orgId/groups/create': screen(() => import('./groups/GroupCreate.tsx'), 'GroupCreate'),
  '/organizations/$orgId/groups/$groupId/edit': screen(() => import('./groups/GroupEdit.tsx'), 'GroupEdit'),
  '/content': screen(() => import('./content/VideosPage.tsx'), 'VideosPage'),
  '/content/$videoId': screen(() => import('./content/VideoPage.tsx'), 'VideoPage'),
  '/content/$videoId/quiz': screen(() => import('./quizzes/QuizPage.tsx'), 'QuizPage'),
  '/content/$videoId/captions/$language': screen(
    () => import('./content/captions/editor/CaptionsPage.tsx'),
    'CaptionsPage',
  ),
  '/content/$videoId/viewing': screen(() => import('./audience/ViewingPage.tsx'), 'ViewingPage'),
  '/content/$videoId/quiz/results': screen(
    () => import('./quizzes/results/QuizResultsPage.tsx'),
    'QuizResultsPage',
  ),
  '/transmissions': screen(() => import('./transmissions/sent/TransmissionsPage.tsx'), 'TransmissionsPage'),
  '/transmissions/create': screen(
    () => import('./transmissions/compose/TransmissionCreate.tsx'),
    'TransmissionCreate',
  ),
  '/transmissions/templates': screen(
    () => import('./transmissions/templates/TemplatesPage.tsx'),
    'TemplatesPage',
  ),
  '/transmissions/barred-addresses': screen(
    () => import('./transmissions/barred/BarredAddresses.tsx'),
    'BarredAddresses',
  ),
  '/transmissions/$transmissionId': screen(
    () => import('./transmissions/sent/TransmissionPage.tsx'),
    'TransmissionPage',
  ),
  '/transmissions/$transmissionId/edit': screen(
    () => import('./transmissions/compose/TransmissionEdit.tsx'),
    'TransmissionEdit',
  ),
  '/assignments': screen(() => import('./assignments/AssignmentsPage.tsx'), 'AssignmentsPage'),
  '/assignments/create': screen(() => import('./assignments/AssignmentCreate.tsx'), 'AssignmentCreate'),
  '/assignments/$orgId/$assignmentId': screen(
    () => import('./assignments/AssignmentPage.tsx'),
    'AssignmentPage',
  ),
  '/assignments/$orgId/$assignmentId/edit': screen(
    () => import('./assignments/AssignmentEdit.tsx'),
    'AssignmentEdit',
  ),
  '/reports/account-user-activity': screen(
    () => import('./reports/UserActivityPage.tsx'),
    'UserActivityPage',
  ),
  '/reports/user-engagement': screen(() => import('./reports/UserEngagementPage.tsx'), 'UserEngagementPage'),
  '/reports/account-activity': screen(
    () => import('./reports/AccountActivityPage.tsx'),
    'AccountActivityPage',
  ),
  '/reports/message-analytics': screen(
    () => import('./reports/MessageAnalyticsPage.tsx'),
    'MessageAnalyticsPage',
  ),
  '/reports/quiz-metrics': screen(() => import('./reports/QuizMetricsPage.tsx'), 'QuizMetricsPage'),
  '/reports/schedules': screen(() => import('./reports/schedules/SchedulesPage.tsx'), 'SchedulesPage'),
  '/reports/training-matrix': screen(() => import('./matrix/TrainingPage.tsx'), 'TrainingPage'),
  '/recently-removed': screen(() => import('./operations/RecentlyRemoved.tsx'), 'RecentlyRemoved'),
  '/recently-removed/$operationId': screen(() => import('./operations/OperationPage.tsx'), 'OperationPage'),
  '/messages': screen(() => import('./inbox/InboxPage.tsx'), 'InboxPage'),
  '/search': screen(() => import('./search/SearchPage.tsx'), 'SearchPage'),
  '/settings': screen(() => import('./settings/SettingsPage.tsx'), 'SettingsPage'),
  '/settings/connections/create': screen(
    () => import('./organizations/sign-in/SystemConnectionCreate.tsx'),
    'SystemConnectionCreate',
  ),
  '/settings/connections/$systemConnectionId': screen(
    () => import('./organizations/sign-in/SystemConnectionPage.tsx'),
    'SystemConnectionPage',
  ),
}

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: paths.dashboard(), replace: true })
  },
})

/** Pages for those who work on the console; a production build has neither their addresses nor their files. */
const workshop = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => root,
        path: '/dev/ui',
        component: lazyRouteComponent(() => import('./dev/Gallery.tsx'), 'Gallery'),
      }),
    ]
  : []

const demos = createRoute({ getParentRoute: () => inside, id: 'demos', component: DemoLayout })
const demo = screen(() => import('./layout/pages/LayoutPage.tsx'), 'LayoutPage')

const tree = root.addChildren([
  start,
  ...workshop,
  inside.addChildren([
    ...Object.entries(screens).map(([path, open]) => page(path, open)),
    demos.addChildren(layoutPages.map((name) => page(paths.layout(name), demo, demos))),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  // The query cache decides what is fresh.
  defaultPreloadStaleTime: 0,
  // What arrives soon replaces the page before; a skeleton, once it is there, has to stay long enough not to flash.
  defaultPendingMs: 400,
  defaultPendingMinMs: 300,
  defaultErrorComponent: RouteError,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
})
