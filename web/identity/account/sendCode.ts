import { forgotPassword, sendVerification } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { flow, type CodePurpose } from '../flow.ts'

/** Mails a code; the answer is the same whether or not somebody has the address. */
export async function sendCode(purpose: CodePurpose, identifier: string): Promise<void> {
  const sent =
    purpose === 'reset_password'
      ? await call(forgotPassword, { body: { identifier } })
      : await call(sendVerification, { body: { identifier, methodType: 'email', purpose } })
  flow.codeSent(purpose, identifier, sent)
}
