import { Button, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { changeEmail, readAccount, type Account } from '#contract/identity/account.ts'
import { sendVerification, verifyToken, type CodeSent } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { ApiError } from '#web/api/errors.ts'
import { useOneField } from '#web/api/oneField.ts'
import { refreshAll } from '#web/api/query.ts'
import { toast } from '#web/ui/toasts.ts'
import { tellFrame } from './ProfileForm.tsx'
import shapes from '#web/ui/shapes.module.css'

type SentCode = { email: string; sent: CodeSent }

/** A new address counts once a code has been read there; both addresses are told. */
export function EmailForm({ account }: { account: Account }) {
  const [asked, setAsked] = useState<SentCode | null>(null)
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="email">
      <h2 id="email">Email address</h2>
      <p>
        You sign in with <strong>{account.email}</strong>, and mails about your account go there.
      </p>
      {asked ? (
        <CodeStep asked={asked} onEnd={() => setAsked(null)} />
      ) : (
        <AddressStep present={account.email} onAsked={setAsked} />
      )}
    </section>
  )
}

/** One field and its button. */
function useStep(name: string, send: (value: string) => Promise<string | void>) {
  const { field, submit, isBusy } = useOneField(name, '', async (value) =>
    value === '' ? 'Please fill this in.' : send(value),
  )
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void submit()
  }
  return { field, onSubmit, isBusy }
}

function AddressStep({ present, onAsked }: { present: string; onAsked: (asked: SentCode) => void }) {
  const step = useStep('identifier', async (typed) => {
    const email = typed.toLowerCase()
    if (email === present) return 'This is your present address.'
    const body = { identifier: email, methodType: 'email', purpose: 'confirm_email' } as const
    onAsked({ email, sent: await call(sendVerification, { body }) })
    return undefined
  })
  return (
    <form className={shapes.stack} noValidate onSubmit={step.onSubmit}>
      <TextInput
        {...step.field}
        label="New email address"
        description="A code is written to it; nothing changes before you have typed that here."
        type="email"
        autoComplete="off"
      />
      <Button type="submit" variant="default" loading={step.isBusy}>
        Send the code
      </Button>
    </form>
  )
}

async function take({ email, sent }: SentCode, code: string): Promise<void> {
  const body = { identifier: email, code, methodType: 'email' } as const
  const verified = await call(verifyToken, { body, flowToken: sent.flowToken })
  if (verified.status !== 'verified') return
  await call(changeEmail, { flowToken: verified.flowToken })
}

function CodeStep({ asked, onEnd }: { asked: SentCode; onEnd: () => void }) {
  const step = useStep('code', async (typed) => {
    try {
      await take(asked, typed.replaceAll(/\D/g, ''))
    } catch (error) {
      // The code is spent, and the address is somebody else's: only another one helps.
      if (!(error instanceof ApiError) || error.problem?.code !== 'already_exists') throw error
      toast.failure('This address belongs to another account. Please choose another one.')
      return onEnd()
    }
    await Promise.all([refreshAll([readAccount]), tellFrame()])
    toast.success(`Your address is ${asked.email} now. Other sessions were signed out.`)
    onEnd()
  })
  return (
    <form className={shapes.stack} noValidate onSubmit={step.onSubmit}>
      <TextInput
        {...step.field}
        label="Code"
        description={
          asked.sent.rests
            ? 'Six digits, good for ten minutes. No mail server is set up, so they rest in the outbox; a superadmin can read them there.'
            : `Six digits, sent to ${asked.sent.maskedDestination}; good for ten minutes.`
        }
        inputMode="numeric"
        autoComplete="one-time-code"
        data-autofocus
        ref={(input) => input?.focus()}
      />
      <div className={shapes.row}>
        <Button variant="default" onClick={onEnd}>
          Cancel
        </Button>
        <Button type="submit" loading={step.isBusy}>
          Change my address
        </Button>
      </div>
    </form>
  )
}
