import type { User } from '#contract/users.ts'
import type { Tx } from '../db/client.ts'
import type { Services } from '../http/services.ts'
import { queueMail } from '../jobs/mail.ts'

/** Tells somebody who was given a role how to get in. There is no password in it: they choose one with a code from "Forgot password". */
export async function inviteUser(services: Services, tx: Tx, { user, by }: { user: User; by: string }) {
  const { productName, providerName } = services.env
  const origin = services.publicUrl()
  const role =
    user.role === 'groupadmin' ? 'look after the groups that you administer' : 'manage your organization'
  const lines = [
    `Hello ${user.name},`,
    `${by} has given you access to ${productName}, so that you can ${role}.`,
    `To sign in for the first time, choose a password here: ${origin}/auth-1/reset-password`,
    `Type this email address (${user.email}) there; a code comes by mail. Afterwards you sign in at ${origin}/auth-1/sign-in`,
    'If you did not expect this, you can ignore this mail: without a password of yours nobody gets in.',
    `-- \n${productName} · ${providerName}`,
  ]
  await queueMail(services, tx, {
    organizationId: user.organizationId,
    address: user.email,
    subject: `Your access to ${productName}`,
    text: `${lines.join('\n\n')}\n`,
  })
}
