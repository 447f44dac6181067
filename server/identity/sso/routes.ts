import type { FastifyInstance } from 'fastify'
import * as domains from '#contract/identity/sign-in-domains.ts'
import * as signIn from '#contract/identity/sso-sign-in.ts'
import * as sso from '#contract/identity/sso.ts'
import { mountOn, type Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { beginSignIn, offerProof } from './begin.ts'
import { finishSignIn } from './callback.ts'
import {
  addConnection,
  changeConnection,
  connectionsOf,
  findConnection,
  removeConnection,
  type Home,
} from './connections.ts'
import { addDomain, domainsOf, proveDomain, removeDomain } from './domains.ts'
import { exchange } from './exchange.ts'
import { connectionsFor, proofsOf } from './find.ts'
import { endByToken } from './logout.ts'
import { peopleOf, unlinkPerson } from './people.ts'
import { setSignIn, signInOf } from './policy.ts'
import { previewOf } from './preview.ts'
import { tryOut } from './trial.ts'

const ofInstallation: Home = { organizationId: null }
const of = ({ orgId }: { orgId: string }): Home => ({ organizationId: orgId })

export function ssoRoutes(app: FastifyInstance, mount: Mount, services: Services): void {
  logoutRoutes(app, services)
  connectionRoutes(mount, services)
  systemConnectionRoutes(mount, services)
  domainRoutes(mount, services)
  signInRoutes(mount, services)
}

/** Providers send logout tokens as forms (OpenID Connect Back-Channel Logout 1.0, 2.5), which nothing beside it reads. */
function logoutRoutes(app: FastifyInstance, services: Services): void {
  void app.register(async (scoped) => {
    const type = 'application/x-www-form-urlencoded'
    scoped.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(String(body))))
    })
    mountOn(scoped, services)(signIn.endByProvider, ({ params: { connectionId }, body, request }) =>
      endByToken({ services, request }, connectionId, body.logout_token),
    )
  })
}

function connectionRoutes(mount: Mount, services: Services): void {
  mount(sso.listConnections, ({ tx, params, query, request }) =>
    connectionsOf(tx, of(params), { services, query, request }),
  )
  mount(sso.createConnection, ({ tx, params, body, caller, request }) =>
    addConnection(tx, of(params), { services, body, by: { caller, request } }),
  )
  mount(sso.readConnection, ({ tx, params }) =>
    findConnection(tx, of(params), { services, id: params.connectionId }),
  )
  mount(sso.updateConnection, ({ tx, params, body, caller, request }) =>
    changeConnection(tx, of(params), { services, id: params.connectionId, body, by: { caller, request } }),
  )
  mount(sso.deleteConnection, ({ tx, params, caller, request }) =>
    removeConnection(tx, of(params), { id: params.connectionId, by: { caller, request } }),
  )
  mount(sso.tryConnection, ({ params, body, scope, caller, request }) =>
    tryOut(of(params), { services, scope, id: params.connectionId, typed: body, by: { caller, request } }),
  )
  mount(sso.previewRules, ({ tx, params, body }) =>
    previewOf(tx, of(params), { id: params.connectionId, body }),
  )
  mount(sso.listConnectionPeople, ({ tx, params, query, request }) =>
    peopleOf(tx, of(params), { id: params.connectionId, query, request }),
  )
  mount(sso.unlinkConnectionPerson, ({ tx, params, caller, request }) =>
    unlinkPerson(tx, of(params), {
      id: params.connectionId,
      userId: params.userId,
      by: { caller, request },
    }),
  )
}

function systemConnectionRoutes(mount: Mount, services: Services): void {
  mount(sso.listSystemConnections, ({ tx, query, request }) =>
    connectionsOf(tx, ofInstallation, { services, query, request }),
  )
  mount(sso.createSystemConnection, ({ tx, body, caller, request }) =>
    addConnection(tx, ofInstallation, { services, body, by: { caller, request } }),
  )
  mount(sso.readSystemConnection, ({ tx, params }) =>
    findConnection(tx, ofInstallation, { services, id: params.connectionId }),
  )
  mount(sso.updateSystemConnection, ({ tx, params, body, caller, request }) =>
    changeConnection(tx, ofInstallation, {
      services,
      id: params.connectionId,
      body,
      by: { caller, request },
    }),
  )
  mount(sso.deleteSystemConnection, ({ tx, params, caller, request }) =>
    removeConnection(tx, ofInstallation, { id: params.connectionId, by: { caller, request } }),
  )
  mount(sso.trySystemConnection, ({ params, body, scope, caller, request }) =>
    tryOut(ofInstallation, {
      services,
      scope,
      id: params.connectionId,
      typed: body,
      by: { caller, request },
    }),
  )
  mount(sso.listSystemConnectionPeople, ({ tx, params, query, request }) =>
    peopleOf(tx, ofInstallation, { id: params.connectionId, query, request }),
  )
  mount(sso.unlinkSystemConnectionPerson, ({ tx, params, caller, request }) =>
    unlinkPerson(tx, ofInstallation, {
      id: params.connectionId,
      userId: params.userId,
      by: { caller, request },
    }),
  )
}

function domainRoutes(mount: Mount, services: Services): void {
  mount(domains.listDomains, ({ tx, params, query, request }) =>
    domainsOf(tx, of(params), { query, request }),
  )
  mount(domains.createDomain, ({ tx, params, body: { domain }, caller, request }) =>
    addDomain(tx, of(params), { domain, by: { caller, request } }),
  )
  mount(domains.checkDomain, ({ params, scope, caller, request }) =>
    proveDomain(of(params), { services, scope, id: params.domainId, by: { caller, request } }),
  )
  mount(domains.deleteDomain, ({ tx, params, caller, request }) =>
    removeDomain(tx, of(params), { id: params.domainId, by: { caller, request } }),
  )
  mount(domains.listSystemDomains, ({ tx, query, request }) =>
    domainsOf(tx, ofInstallation, { query, request }),
  )
  mount(domains.createSystemDomain, ({ tx, body: { domain }, caller, request }) =>
    addDomain(tx, ofInstallation, { domain, by: { caller, request } }),
  )
  mount(domains.checkSystemDomain, ({ params, scope, caller, request }) =>
    proveDomain(ofInstallation, { services, scope, id: params.domainId, by: { caller, request } }),
  )
  mount(domains.deleteSystemDomain, ({ tx, params, caller, request }) =>
    removeDomain(tx, ofInstallation, { id: params.domainId, by: { caller, request } }),
  )
  mount(domains.readOrganizationSignIn, ({ tx, params: { orgId } }) => signInOf(tx, orgId))
  mount(domains.updateOrganizationSignIn, ({ tx, params: { orgId }, body: policy, caller, request }) =>
    setSignIn(tx, orgId, { policy, by: { caller, request } }),
  )
}

function signInRoutes(mount: Mount, services: Services): void {
  mount(signIn.findConnections, async ({ body: { identifier }, request }) => ({
    connections: await connectionsFor({ services, request, identifier }),
  }))
  mount(signIn.beginSso, async ({ params: { connectionId }, query, request, reply }) => {
    const location = await beginSignIn({ services, request, reply }, { connectionId, ...query })
    reply.status(303).header('location', location)
    return {}
  })
  mount(signIn.finishSso, async ({ params: { connectionId }, query: { state }, request, reply }) => {
    const location = await finishSignIn({ services, request, reply }, { connectionId, state })
    reply.status(303).header('location', location)
    return {}
  })
  mount(signIn.exchangeSso, ({ body: { flow }, request, reply, caller }) =>
    exchange({ services, request, reply, caller }, flow),
  )
  mount(signIn.readProof, ({ caller }) => proofsOf(services, caller))
  mount(signIn.beginProof, async ({ body: { connectionId }, caller }) => ({
    url: await services.db.as('system', (tx) => offerProof(tx, caller, connectionId)),
  }))
}
