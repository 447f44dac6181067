import { TextInput } from '@mantine/core'
import { optional } from '#web/ui/Field.tsx'
import '#web/ui/fields.ts'
import { LanguageField } from '../LanguageField.tsx'
import { BrandColor } from './BrandColor.tsx'
import { PolicyFields } from './PolicyFields.tsx'
import { TimeZoneField } from './TimeZoneField.tsx'
import type { OrganizationForm } from './values.ts'

type Props = {
  form: OrganizationForm
  /** Left out while there is none yet: a new organization has a name and a time zone, the rest are its settings. */
  orgId?: string
  logo?: string | null
}

export function OrganizationFields({ form: { form, field }, orgId, logo = null }: Props) {
  return (
    <>
      <TextInput {...field('name')} autoComplete="off" maxLength={200} />
      {orgId !== undefined && (
        <TextInput
          {...field('domain')}
          label={optional('Domain')}
          description="Such as acme.com. It stands beside the name, so that organizations of the same name are told apart."
          value={form.values.domain ?? ''}
          onChange={(event) => form.setFieldValue('domain', event.currentTarget.value || null)}
          autoComplete="off"
        />
      )}
      <TimeZoneField {...field('timeZone')} />
      <LanguageField
        {...field('language')}
        description="For mails, videos and certificates, unless a person has another."
        value={form.values.language}
        onChange={(chosen) => form.setFieldValue('language', chosen ?? 'en')}
      />
      <BrandColor form={{ form, field }} logo={logo} />
      {orgId !== undefined && <PolicyFields form={form} orgId={orgId} />}
    </>
  )
}
