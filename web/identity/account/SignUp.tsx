import { useEffect, useState } from 'react'
import { readSetup, setUp } from '#contract/identity/setup.ts'
import { call } from '#web/api/client.ts'
import { explain, type Explanation } from '#web/api/errors.ts'
import { fieldErrors } from '#web/api/forms/fieldErrors.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { product } from '#web/ui/product.ts'
import { EmailField, Field, Notice, Submit } from '../fields.tsx'
import { Card, PageLink } from '../Frame.tsx'
import { Invitation } from './Invitation.tsx'
import { useSearchParam } from '../navigate.ts'
import { checkNewPassword, NewPasswordFields } from './NewPasswordFields.tsx'
import { useSubmit } from '../useSubmit.ts'
import classes from '../public.module.css'

const toSignIn = (
  <>
    Do you have an account? <PageLink to={paths.signIn()}>Sign in</PageLink>
  </>
)

/** With the setup link of the first start: the first administrator. Everybody else is invited. */
export function SignUp() {
  const setup = useSearchParam('setup')
  const invite = useSearchParam('invite')
  if (invite) return <Invitation token={invite} />
  return setup ? <FirstAdministrator setup={setup} /> : <ByInvitation />
}

function ByInvitation() {
  return (
    <Card
      title="By invitation only"
      lead="An administrator of your organization can invite you. The invitation comes by mail; its link leads back here, where you choose a password. Nobody can sign up without one: open sign-up is switched off."
      foot={toSignIn}
    />
  )
}

type State = 'unknown' | 'needed' | 'done' | { failed: Explanation }

function FirstAdministrator({ setup }: { setup: string }) {
  const [state, setState] = useState<State>('unknown')
  useEffect(() => {
    call(readSetup, {}).then(
      ({ needed }) => setState(needed ? 'needed' : 'done'),
      (error: unknown) => setState({ failed: explain(error) }),
    )
  }, [])
  if (state === 'done')
    return (
      <Card
        title="This link has done its work"
        lead="The first administrator exists already. Please sign in; other people are invited from inside the console."
      >
        <PageLink to={paths.signIn()} className={classes.button}>
          Sign in
        </PageLink>
      </Card>
    )
  return (
    <Card
      title="Create the first administrator"
      lead={`This person can see and do everything in ${product.name}, and creates the organizations.`}
      foot={toSignIn}
    >
      {typeof state === 'object' && <Notice title={state.failed.title}>{state.failed.detail}</Notice>}
      <AdministratorForm setup={setup} />
    </Card>
  )
}

function AdministratorForm({ setup }: { setup: string }) {
  const { form, errors, problem, isBusy } = useSubmit({
    check: (values) => ({
      ...fieldErrors(setUp.body, { ...values, setup, sample: false }),
      ...checkNewPassword(values),
    }),
    send: async ({ name = '', email = '', password = '', sample }) => {
      const answer = await call(setUp, {
        body: { setup, name, email, password, sample: sample === 'on' },
        timeout: 120_000,
      })
      session.signIn(answer)
      location.replace(paths.dashboard())
    },
  })
  return (
    <>
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <form {...form}>
        <Field name="name" label="Name" autoComplete="name" error={errors['name']} />
        <EmailField name="email" error={errors['email']} />
        <NewPasswordFields label="Password" errors={errors} />
        <label className={classes.check}>
          <input type="checkbox" name="sample" />
          <span>
            Fill with a sample organization
            <small>People, groups and videos to try things out with. It can be removed later.</small>
          </span>
        </label>
        <Submit isBusy={isBusy}>Create account</Submit>
      </form>
    </>
  )
}
