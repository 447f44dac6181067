import { followRequiredEvidence } from './tracking/served/sources.ts'
import { followSendingRate } from './transmissions/ledger/lane.ts'
import { randomUUID } from 'node:crypto'
import compress from '@fastify/compress'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { readConfig, readHealth } from '#contract/platform/system.ts'
import { accountRoutes } from './identity/account/routes.ts'
import { auditRoutes } from './platform/audit/routes.ts'
import { authRoutes } from './identity/sign-in/routes.ts'
import { backupRoutes } from './backup/routes.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { callersChannel } from './platform/db/changes.ts'
import { noDatabase } from './platform/db/outage.ts'
import { feelPulse } from './platform/db/pulse.ts'
import { doctorRoutes } from './doctor/routes.ts'
import { fieldsRoutes } from './directory/fields/routes.ts'
import { groupsRoutes } from './directory/groups/routes.ts'
import { trusting } from './platform/http/address.ts'
import { boundBodies } from './platform/http/bodies.ts'
import { endWithAnswers } from './platform/http/closing.ts'
import { faultsOf } from './platform/http/faults.ts'
import { guardAnswers } from './platform/http/headers.ts'
import { withoutSecrets } from './platform/http/log.ts'
import { mountOn } from './platform/http/mount.ts'
import { noticeChannel } from './notifications/notify.ts'
import { openapi } from './platform/http/openapi/openapi.ts'
import type { Services } from './platform/http/services.ts'
import { metricsRoutes } from './platform/metrics/serve.ts'
import { inlineScripts, serveWeb } from './platform/http/pages/spa.ts'
import { togetherRoutes } from './platform/http/together.ts'
import { refuseParameters } from './platform/http/strict.ts'
import { invitationsRoutes } from './directory/invitations/routes.ts'
import { importsRoutes } from './imports/routes.ts'
import { nameDevices } from './identity/devices.ts'
import { systemSecurity } from './identity/security.ts'
import { hasMailServer } from './platform/jobs/mail-server.ts'
import { mailRoutes } from './identity/mail/routes.ts'
import { openLive, type Live } from './notifications/live.ts'
import { notificationsRoutes } from './notifications/routes.ts'
import { insertOrganization } from './directory/organizations/queries.ts'
import { organizationsRoutes } from './directory/organizations/routes.ts'
import { operationsRoutes } from './operations/routes.ts'
import { liveLinks } from './tracking/ingest/live-links.ts'
import { recordServed } from './tracking/served/served.ts'
import { personRoutes } from './person/routes.ts'
import { picturesRoutes } from './directory/pictures/routes.ts'
import { quizzesRoutes } from './quizzes/routes.ts'
import { quizResultsRoutes } from './quizzes/results/routes.ts'
import { reportsRoutes } from './reports/routes.ts'
import { referenceRoutes } from './reference/routes.ts'
import { reportSchedulesRoutes } from './reports/schedules/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { serviceAccountsRoutes } from './service-accounts/routes.ts'
import { sessionsRoutes } from './identity/sessions/routes.ts'
import { claimedDomains } from './identity/sso/find.ts'
import { ssoRoutes } from './identity/sso/routes.ts'
import { assignmentsRoutes } from './assignments/routes.ts'
import { cardsRoutes } from './cards/routes.ts'
import { inboxRoutes } from './inbox/routes.ts'
import { ownTrainingRoutes } from './pages/own/routes.ts'
import { trainingRoutes } from './matrix/routes.ts'
import { transmissionsRoutes } from './transmissions/routes.ts'
import { usersRoutes } from './directory/users/routes.ts'
import { followRequests } from './platform/tracing/trace.ts'
import { version } from './platform/version.ts'
import { videosRoutes } from './videos/routes.ts'
import { audienceRoutes } from './audience/routes.ts'
import { certificateRoutes } from './evidence/certificates/routes.ts'
import { evidenceRoutes } from './evidence/page/routes.ts'
import { exportRoutes } from './evidence/export/routes.ts'
import { privacyRoutes } from './evidence/privacy/routes.ts'
import { viewingRoutes } from './tracking/routes.ts'
import { videoPageRoutes } from './pages/video/routes.ts'
import { eventsRoutes } from './events/routes.ts'
import { webhooksRoutes } from './webhooks/routes.ts'
import { viewsRoutes } from './directory/views/routes.ts'

const features = [
  auditRoutes,
  authRoutes(insertOrganization),
  sessionsRoutes,
  serviceAccountsRoutes,
  ssoRoutes,
  accountRoutes,
  mailRoutes,
  doctorRoutes,
  organizationsRoutes([followSendingRate, followRequiredEvidence]),
  dashboardRoutes,
  backupRoutes,
  usersRoutes,
  picturesRoutes,
  groupsRoutes,
  fieldsRoutes,
  invitationsRoutes,
  importsRoutes,
  operationsRoutes,
  personRoutes,
  viewsRoutes,
  videosRoutes,
  viewingRoutes,
  videoPageRoutes,
  evidenceRoutes,
  certificateRoutes,
  exportRoutes,
  privacyRoutes,
  audienceRoutes,
  webhooksRoutes,
  eventsRoutes,
  transmissionsRoutes,
  quizzesRoutes,
  quizResultsRoutes,
  reportsRoutes,
  reportSchedulesRoutes,
  trainingRoutes,
  assignmentsRoutes,
  cardsRoutes,
  ownTrainingRoutes,
  inboxRoutes,
  searchRoutes,
  notificationsRoutes,
  togetherRoutes,
]

/** The application without a port: what tests inject into and main listens with. */
export async function buildApp(
  services: Services,
  logger: FastifyServerOptions['loggerInstance'],
): Promise<FastifyInstance> {
  const answerFault = faultsOf(services.env)
  const app = Fastify({
    ...(logger ? { loggerInstance: withoutSecrets(logger) } : {}),
    // In the audit for ever: one that starts anew with each start of the server would name many requests.
    genReqId: () => randomUUID(),
    bodyLimit: 1024 * 1024,
    // Of the head alone: bodies have their own limits (server/platform/http/bodies.ts), for uploads may take hours.
    http: { headersTimeout: 20_000, connectionsCheckingInterval: 5_000 },
    requestTimeout: 0,
    trustProxy: trusting(services.env.trustedProxies),
    // Addresses that cannot be read never come as far as a route.
    frameworkErrors: answerFault,
    routerOptions: { maxParamLength: 500 },
  })
  app.setErrorHandler(answerFault)
  followRequests(app)
  endWithAnswers(app)
  guardAnswers(app, {
    mediaOrigin: services.env.mediaOrigin,
    inlineScripts: inlineScripts(services.env),
    isEncrypted: services.env.publicUrl?.startsWith('https:') ?? false,
  })
  await app.register(compress, { threshold: 1024, encodings: ['br', 'gzip'] })
  boundBodies(app)
  refuseParameters(app)
  await nameDevices(app, services)
  const mount = mountOn(app, services)
  const serving = {
    ...services,
    served: recordServed(services),
    links: liveLinks(services),
    live: openLive(),
  }
  systemRoutes(app, mount, serving)
  for (const feature of features) feature(app, mount, serving)
  metricsRoutes(app, services)
  await serveWeb(app, services)
  return app
}

/** What is no file of the web app. */
const needsDatabase = /^\/(api|w|m)\//

type Listening = Services & { live: Live }

function systemRoutes(app: FastifyInstance, mount: ReturnType<typeof mountOn>, services: Listening): void {
  const { env, db, log, live } = services
  const pulse = feelPulse(db, log, { [callersChannel]: db.callerChanges, [noticeChannel]: live })
  app.addHook('onClose', async () => pulse.stop())
  app.addHook('onRequest', ({ url }, _reply, done) => {
    const isCut = !pulse.isThere() && needsDatabase.test(url) && !url.startsWith('/api/health')
    done(isCut ? noDatabase() : undefined)
  })
  mount(readHealth, async ({ reply }) => {
    const isThere = pulse.isThere()
    if (app.isLeaving || !isThere) reply.status(503)
    const status = app.isLeaving ? 'leaving' : isThere ? 'ready' : 'live'
    return { status, version, checks: { database: isThere ? 'ok' : 'failing' } } as const
  })
  mount(readConfig, () =>
    db.as('system', async (tx) => ({
      product: env.productName,
      provider: env.providerName,
      version,
      demoMenu: env.demoMenu,
      outbox: !(await hasMailServer(tx, env)),
      signInCode: (await systemSecurity(tx)).signInCode,
      claimedDomains: await claimedDomains(tx),
    })),
  )
  let described: ReturnType<typeof openapi> | undefined
  const describe = () => (described ??= openapi(env.productName, version))
  app.get('/api/openapi.json', async () => describe())
  referenceRoutes(describe)(app, services)
}
