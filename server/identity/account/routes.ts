import type { FastifyInstance } from 'fastify'
import * as account from '#contract/identity/account.ts'
import { deleteAccount } from '#contract/identity/auth.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { afterAnswers } from '../after.ts'
import { takeAddress } from './email.ts'
import { replacePassword } from './password.ts'
import { readProfile, updateProfile } from './profile.ts'
import { scheduleDeletion } from './removal.ts'

export function accountRoutes(app: FastifyInstance, mount: Mount, services: Services): void {
  const afterAnswer = afterAnswers(app)

  mount(account.readAccount, (by) => readProfile(by))

  mount(account.updateAccount, ({ body, ...by }) => updateProfile(by, body))

  mount(account.changePassword, ({ body, request, reply, caller }) => {
    const later = (work: () => Promise<unknown>) => afterAnswer(reply, work)
    return replacePassword({ services, request, caller, later }, body)
  })

  mount(account.changeEmail, (by) => takeAddress(services, by))

  mount(deleteAccount, ({ body, ...by }) => scheduleDeletion(services, by, body.email))
}
