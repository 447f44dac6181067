import { TextInput } from '@mantine/core'
import { optional } from '#web/ui/Field.tsx'
import '#web/ui/fields.ts'
import { PolicyFields } from './PolicyFields.tsx'
import { TimeZoneField } from './TimeZoneField.tsx'
import type { OrganizationForm } from './values.ts'

type Props = {
  form: OrganizationForm
  /** Left out while there is none yet. */
  orgId?: string
  /** Folds away what a new organization need not decide. */
  isShort?: boolean
}

export function OrganizationFields({ form: { form, field }, orgId, isShort = false }: Props) {
  return (
    <>
      <TextInput {...field('name')} autoComplete="off" maxLength={200} />
      <TextInput
        {...field('domain')}
        label={optional('Domain')}
        description="Such as acme.com. It stands beside the name, so that organizations of the same name are told apart."
        value={form.values.domain ?? ''}
        onChange={(event) => form.setFieldValue('domain', event.currentTarget.value || null)}
        autoComplete="off"
      />
      <TimeZoneField {...field('timeZone')} />
      {isShort ? (
        <details className="org-policies">
          <summary>Signing in, viewing, privacy and sending</summary>
          <div>
            <PolicyFields form={form} orgId={orgId} />
          </div>
        </details>
      ) : (
        <PolicyFields form={form} orgId={orgId} />
      )}
    </>
  )
}
