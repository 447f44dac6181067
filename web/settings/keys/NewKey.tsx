import { Checkbox, Input, Stack, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import { useState } from 'react'
import { keyScopes, scopeWords, type KeyScope } from '#contract/scopes.ts'
import type { KeyWithToken } from '#contract/service-accounts.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import '#web/ui/fields/fields.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { useKeyCalls } from './calls.ts'
import { daysAhead } from './days.ts'
import { scopeLabels } from './scopes.ts'

type Props = {
  /** Null: of the installation. */
  orgId: string | null
  onMade: (key: KeyWithToken) => void
  onClose: () => void
}

type Errors = Record<string, string>

/** What is wrong with a field, or with a part of it. */
const errorAt = (errors: Errors, field: string) =>
  Object.entries(errors).find(([name]) => name === field || name.startsWith(`${field}.`))?.[1]

/** One on each line, or after a comma. */
const networksIn = (text: string) =>
  text
    .split(/[\s,]+/)
    .map((network) => network.trim())
    .filter((network) => network !== '')

/** Asks what a key is for before it is made. */
export function NewKey({ orgId, onMade, onClose }: Props) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly KeyScope[]>([])
  const [expiresAt, setExpiresAt] = useState(() => daysAhead(365))
  const [networks, setNetworks] = useState('')
  const [errors, setErrors] = useState<Errors>({})
  const { make, isBusy } = useKeyCalls(orgId)
  const save = async () => {
    const missing: Errors = {
      ...(name.trim() === '' ? { name: /* text */ 'Please fill this in.' } : {}),
      ...(scopes.length === 0 ? { scopes: /* text */ 'Please choose what the key may do.' } : {}),
      ...(expiresAt === '' ? { expiresAt: /* text */ 'Please choose a day.' } : {}),
    }
    setErrors(missing)
    if (Object.keys(missing).length > 0) return
    try {
      onMade(await make({ name, scopes: [...scopes], expiresAt, networks: networksIn(networks) }))
    } catch (error) {
      const found = serverFieldErrors(error)
      setErrors(Object.keys(found).length > 0 ? found : { name: sentence(error) })
    }
  }
  return (
    <FormDialog
      title={orgId === null ? 'Make a key of the installation' : 'Make a key'}
      submitLabel="Make key"
      isBusy={isBusy}
      onSubmit={save}
      onClose={onClose}
    >
      <Stack gap={16}>
        <p className={shapes.hint}>
          You answer for this key: it stops when you may no longer sign in here or administer nothing here any
          more. {orgId === null ? 'It acts in every organization.' : 'It acts in this organization alone.'}
        </p>
        <TextInput
          label="Name"
          description="The system that uses it, such as Payroll. The audit log says what it did under this name."
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={errorAt(errors, 'name')}
          maxLength={100}
          autoComplete="off"
          data-autofocus
        />
        <Scopes value={scopes} onChange={setScopes} error={errorAt(errors, 'scopes')} />
        <TextInput
          type="date"
          label="Expires after"
          description="You are told on the dashboard before it does."
          value={expiresAt}
          min={daysAhead(0)}
          onChange={(event) => setExpiresAt(event.currentTarget.value)}
          error={errorAt(errors, 'expiresAt')}
        />
        <Textarea
          label="Networks it may call from"
          description="One on each line, such as 192.0.2.0/24 or 2001:db8::/32. Empty: from anywhere."
          value={networks}
          onChange={(event) => setNetworks(event.currentTarget.value)}
          error={
            errorAt(errors, 'networks') &&
            /* text */ 'One of these is not a network. Write each like 192.0.2.0/24 or 2001:db8::/32.'
          }
          rows={3}
          autoComplete="off"
          spellCheck={false}
        />
      </Stack>
    </FormDialog>
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
