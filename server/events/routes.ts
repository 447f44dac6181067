import type { FastifyInstance } from 'fastify'
import * as contract from '#contract/events/event-addresses.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import * as addresses from './addresses.ts'
import { findPosts, replay } from './log.ts'

export function eventsRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(contract.listEventAddresses, ({ tx, params, query, request }) =>
    addresses.findAddresses(tx, { ...params, query, request }),
  )
  mount(contract.createEventAddress, ({ tx, params, body, caller, request }) =>
    addresses.createAddress(tx, { services, by: { caller, request }, ...params, ...body }),
  )
  mount(contract.readEventAddress, ({ tx, params }) => addresses.readAddress(tx, params))
  mount(contract.updateEventAddress, ({ tx, params, body, caller, request }) =>
    addresses.changeAddress(tx, { services, by: { caller, request }, ...params, ...body }),
  )
  mount(contract.removeEventAddress, ({ tx, params, caller, request }) =>
    addresses.removeAddress(tx, { services, by: { caller, request }, ...params }),
  )
  mount(contract.rotateEventSecret, ({ tx, params, caller, request }) =>
    addresses.rotateSecret(tx, { services, by: { caller, request }, ...params }),
  )
  mount(contract.testEventAddress, ({ params, scope, caller, request }) =>
    addresses.tryAddress({ services, by: { caller, request }, ...params }, scope),
  )
  mount(contract.listEventPosts, ({ tx, params, query, request }) =>
    findPosts(tx, { ...params, query, request }),
  )
  mount(contract.replayEvents, ({ tx, params, body, caller, request }) =>
    replay(tx, { by: { caller, request }, ...params }, body),
  )
}
