import { Button, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { changeEmail, readAccount, type Account } from '#contract/account.ts'
import { sendVerification, verifyToken, type CodeSent } from '#contract/auth.ts'
import { call } from '#web/api/client.ts'
import { ApiError, sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/fieldErrors.ts'
import { refreshAll } from '#web/api/query.ts'
import { toast } from '#web/ui/toasts.ts'
import { tellFrame } from './ProfileForm.tsx'

type SentCode = { email: string; sent: CodeSent }

/** A new address counts once a code has been read there; both addresses are told. */
export function EmailForm({ account }: { account: Account }) {
  const [asked, setAsked] = useState<SentCode | null>(null)
  return (
    <section className="ui-card ui-card-pad profile-part" aria-labelledby="email">
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

/** One field and its button; what is wrong stands at the field, and may be what `run` returns. */
function useStep(fieldName: string, run: (value: string) => Promise<string | null>) {
  const [value, setValue] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (value.trim() === '') return setError('Please fill this in.')
    setBusy(true)
    setError(null)
    try {
      setError(await run(value.trim()))
    } catch (reason) {
      setError(serverFieldErrors(reason)[fieldName] ?? sentence(reason))
    } finally {
      setBusy(false)
    }
  }
  const change = (text: string) => {
    setValue(text)
    setError(null)
  }
  return { value, change, error, isBusy, submit: (event: FormEvent) => void submit(event) }
}

function AddressStep({ present, onAsked }: { present: string; onAsked: (asked: SentCode) => void }) {
  const step = useStep('identifier', async (typed) => {
    const email = typed.toLowerCase()
    if (email === present) return 'This is your present address.'
    const body = { identifier: email, methodType: 'email', purpose: 'confirm_email' } as const
    onAsked({ email, sent: await call(sendVerification, { body }) })
    return null
  })
  return (
    <form className="profile-form" noValidate onSubmit={step.submit}>
      <TextInput
        label="New email address"
        description="A code is written to it; nothing changes before you have typed that here."
        type="email"
        autoComplete="off"
        value={step.value}
        onChange={({ currentTarget }) => step.change(currentTarget.value)}
        error={step.error}
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
      onEnd()
      return null
    }
    await Promise.all([refreshAll([readAccount]), tellFrame()])
    toast.success(`Your address is ${asked.email} now. Other sessions were signed out.`)
    onEnd()
    return null
  })
  return (
    <form className="profile-form" noValidate onSubmit={step.submit}>
      <TextInput
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
        value={step.value}
        onChange={({ currentTarget }) => step.change(currentTarget.value)}
        error={step.error}
      />
      <div className="profile-actions">
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
