import { Checkbox } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import {
  mfaPolicies,
  readSecurity,
  SystemSecurity,
  updateSecurity,
  type MfaPolicy,
} from '#contract/identity/security.ts'
import type { Reply } from '#contract/endpoint.ts'
import { useEditForm } from '#web/api/forms/editForm.ts'
import { fetchFresh, useChange, useList } from '#web/api/query.ts'
import { SignIn } from '#web/organizations/sign-in/SignIn.tsx'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import { plural } from '#web/ui/format.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import '#web/ui/fields/fields.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Settings = Reply<typeof readSecurity>

const labels = {
  mfa: 'Second step',
  signInCode: 'Sign in with a code by mail',
  breachLookup: 'Look new passwords up among leaked ones',
}

const people = (count: number) =>
  count === 1 ? '1 person has none yet' : `${plural(count, 'person', 'people')} have none yet`

const choices: Record<MfaPolicy, { label: string; means: (without: Settings['withoutFactor']) => string }> = {
  optional: {
    label: 'As each person likes',
    means: () => 'Everybody who signs in is invited to add one, and nobody has to.',
  },
  'required-for-admins': {
    label: 'For administrators',
    means: ({ admins }) =>
      `Superadmins and administrators need one; ${people(admins)}. Group administrators may.`,
  },
  required: {
    label: 'For everybody',
    means: ({ everyone }) => `Everybody who signs in to the console needs one; ${people(everyone)}.`,
  },
}

/** What signing in asks for, in the whole installation. */
export function SignInPolicy() {
  const { page: settings, error, retry } = useList(readSecurity, {})
  if (error || !settings) return <NotRead error={error} retry={retry} height={480} />
  return (
    <div className={shapes.stack}>
      <PolicyForm settings={settings} />
      <SignIn owner={null} />
    </div>
  )
}

const valuesOf = ({ mfa, signInCode, breachLookup }: Settings) => ({ mfa, signInCode, breachLookup })

function words(field: string, value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return mfaPolicies.flatMap((policy) =>
    field === 'mfa' && policy === value ? choices[policy].label : [],
  )[0]
}

function PolicyForm({ settings }: { settings: Settings }) {
  const update = useChange(updateSecurity, [readSecurity])
  const { form, check, layout, isDirty } = useEditForm({
    what: 'these settings',
    schema: SystemSecurity,
    labels,
    loaded: settings,
    read: () => fetchFresh(readSecurity, {}),
    valuesOf,
    words,
    draft: 'sign-in-policy',
    trace: { action: 'security.changed' },
    save: (body, condition) => update.mutateAsync({ body, ...condition }),
    onSaved: async () => toast.success('What signing in asks for was saved.'),
  })
  return (
    <>
      <FormLayout {...layout} submitLabel="Save changes">
        <RadioChoices
          {...form.getInputProps('mfa')}
          id="field-mfa"
          label="Who needs a second step beside the password"
          description="An authenticator app or a passkey. An organization can ask for more than this, never for less. Who is signed in when you make it stricter is asked at the next sign-in."
          choices={mfaPolicies.map((value) => ({
            value,
            label: choices[value].label,
            means: choices[value].means(settings.withoutFactor),
          }))}
        />
        <Checkbox
          {...check('signInCode')}
          description="In place of the password. A second step is then asked for in any case."
        />
        <Checkbox
          {...check('breachLookup')}
          description="Five characters of a fingerprint of the password leave the installation, never the password itself. Without it, only the list that comes with the product is used."
        />
      </FormLayout>
      <UnsavedGuard isDirty={isDirty} isKept />
    </>
  )
}
