import { NumberInput } from '@mantine/core'
import { optional } from '#web/ui/Field.tsx'
import { labels, policyField, units, type OrganizationForm } from './values.ts'

type Props = {
  form: OrganizationForm['form']
  name:
    | 'idleMinutes'
    | 'sessionHours'
    | 'smallestGroup'
    | 'retentionMonths'
    | 'sendPerMinute'
    | 'linkDays'
    | 'approvalThreshold'
  description: string
  min: number
  max: number
  /** Left empty it holds nothing, which the description explains. */
  isOptional?: boolean
}

/** A policy that is a whole number. */
export function PolicyNumber({ form, name, description, min, max, isOptional = false }: Props) {
  const path = `policies.${name}` as const
  const field = policyField(form, name)
  const unit = units[path]
  return (
    <NumberInput
      {...field}
      {...(isOptional && {
        label: optional(labels[path] ?? ''),
        value: form.values.policies[name] ?? '',
        onChange: (value) => form.setFieldValue(path, typeof value === 'number' ? value : null),
      })}
      {...(unit ? { suffix: ` ${unit}` } : {})}
      description={description}
      min={min}
      max={max}
      clampBehavior="none"
      allowDecimal={false}
    />
  )
}
