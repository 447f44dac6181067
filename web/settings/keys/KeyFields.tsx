import { Checkbox, Input, Stack, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import { keyScopes, scopeWords, type KeyScope } from '#contract/scopes.ts'
import '#web/ui/fields/fields.ts'
import { daysAhead } from './days.ts'
import { scopeLabels } from './scopes.ts'

/** What is typed of a key; `expiresAt` is a day. */
export type KeyDraft = {
  name: string
  scopes: readonly KeyScope[]
  expiresAt: string
  networks: string
}
export type Errors = Record<string, string>

/** What is wrong with a field, or with a part of it. */
const errorAt = (errors: Errors, field: string) =>
  Object.entries(errors).find(([name]) => name === field || name.startsWith(`${field}.`))?.[1]

/** One on each line, or after a comma. */
export const networksIn = (text: string) =>
  text
    .split(/[\s,]+/)
    .map((network) => network.trim())
    .filter((network) => network !== '')

export const missingIn = ({ name, scopes, expiresAt }: KeyDraft): Errors => ({
  ...(name.trim() === '' ? { name: /* text */ 'Please fill this in.' } : {}),
  ...(scopes.length === 0 ? { scopes: /* text */ 'Please choose what the key may do.' } : {}),
  ...(expiresAt === '' ? { expiresAt: /* text */ 'Please choose a day.' } : {}),
})

type Props = { draft: KeyDraft; errors: Errors; onChange: (draft: KeyDraft) => void }

/** What a key is called and may do, until when, and from where. */
export function KeyFields({ draft, errors, onChange }: Props) {
  const put = (part: Partial<KeyDraft>) => onChange({ ...draft, ...part })
  return (
    <>
      <TextInput
        label="Name"
        description="The system that uses it, such as Payroll. The audit log says what it did under this name."
        value={draft.name}
        onChange={(event) => put({ name: event.currentTarget.value })}
        error={errorAt(errors, 'name')}
        maxLength={100}
        autoComplete="off"
        data-autofocus
      />
      <Scopes value={draft.scopes} onChange={(scopes) => put({ scopes })} error={errorAt(errors, 'scopes')} />
      <TextInput
        type="date"
        label="Expires after"
        description="Whoever answers for it gets a mail two weeks before, and one the day before."
        value={draft.expiresAt}
        min={daysAhead(0)}
        onChange={(event) => put({ expiresAt: event.currentTarget.value })}
        error={errorAt(errors, 'expiresAt')}
      />
      <Textarea
        label="Networks it may call from"
        description="One on each line, such as 192.0.2.0/24 or 2001:db8::/32. Empty: from anywhere."
        value={draft.networks}
        onChange={(event) => put({ networks: event.currentTarget.value })}
        error={
          errorAt(errors, 'networks') &&
          /* text */ 'One of these is not a network. Write each like 192.0.2.0/24 or 2001:db8::/32.'
        }
        rows={3}
        autoComplete="off"
        spellCheck={false}
      />
    </>
  )
}

type ScopesProps = {
  value: readonly KeyScope[]
  onChange: (scopes: readonly KeyScope[]) => void
  error: string | undefined
}

function Scopes({ value, onChange, error }: ScopesProps) {
  const toggle = (scope: KeyScope) =>
    onChange(value.includes(scope) ? value.filter((one) => one !== scope) : [...value, scope])
  return (
    <fieldset aria-describedby={error === undefined ? undefined : 'key-scopes-error'}>
      <legend>What it may do</legend>
      <Stack gap={8}>
        {keyScopes.map((scope) => (
          <Checkbox
            key={scope}
            label={scopeLabels[scope]}
            description={scopeWords[scope]}
            checked={value.includes(scope)}
            onChange={() => toggle(scope)}
          />
        ))}
      </Stack>
      {error !== undefined && (
        <Input.Error id="key-scopes-error" role="alert">
          {error}
        </Input.Error>
      )}
    </fieldset>
  )
}
