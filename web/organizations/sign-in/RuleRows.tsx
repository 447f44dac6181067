import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { IconPlus, IconX } from '@tabler/icons-react'
import { grantedRoles, mostRules, type ClaimRule } from '#contract/identity/sso.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { IconButton } from '#web/ui/IconButton.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { roleNames } from '../../session/roleNames.ts'
import { GroupPicker, useNamedGroups } from '../GroupPicker.tsx'
import type { useConnectionForm } from './useConnectionForm.ts'
import classes from './SignIn.module.css'

type Props = { orgId: string; edited: ReturnType<typeof useConnectionForm> }

/** What claims of a provider give: each a line, and all that fit count. */
export function RuleRows({ orgId, edited: { form } }: Props) {
  const { rules } = form.values
  const set = (next: ClaimRule[]) => form.setFieldValue('rules', next)
  const put = (index: number, rule: ClaimRule) => set(rules.map((one, at) => (at === index ? rule : one)))
  const places = usePlaces(rules.length)
  const ids = rules.flatMap(({ groupId }) => groupId ?? [])
  const named = useNamedGroups(orgId, ids, [])
  return (
    <div className={shapes.stack} id="field-rules" tabIndex={-1} role="group" aria-label="Rules">
      <p className={shapes.lead}>
        Rules turn what the provider says about somebody into a role and groups, at each sign-in. All that fit
        count; of several roles the highest. Without a rule, everybody keeps what they have here.
      </p>
      {rules.length > 0 && (
        <ol className={shapes.stack}>
          {rules.map((rule, index) => (
            <li key={places.keys[index]}>
              <Rule
                orgId={orgId}
                number={index + 1}
                rule={rule}
                named={named}
                error={(name) => {
                  const said = form.errors[`rules.${index}.${name}`]
                  return typeof said === 'string' ? said : undefined
                }}
                onChange={(changed) => put(index, changed)}
                onRemove={() => {
                  places.remove(index)
                  set(rules.filter((_one, at) => at !== index))
                }}
              />
            </li>
          ))}
        </ol>
      )}
      {rules.length < mostRules && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => set([...rules, { claim: 'groups', value: '', role: null, groupId: null }])}
        >
          Add a rule
        </Button>
      )}
    </div>
  )
}

/** Rules have no names of their own; these keep the focus where it is while others come and go. */
function usePlaces(count: number) {
  const [keys, setKeys] = useState<readonly number[]>([])
  const next = Math.max(-1, ...keys) + 1
  const all = [...keys, ...Array.from({ length: Math.max(0, count - keys.length) }, (_none, at) => next + at)]
  return {
    keys: all,
    remove: (index: number) => setKeys(all.filter((_key, at) => at !== index)),
  }
}

type RuleProps = {
  orgId: string
  number: number
  rule: ClaimRule
  named: readonly { id: string; name: string }[]
  error: (name: keyof ClaimRule) => string | undefined
  onChange: (rule: ClaimRule) => void
  onRemove: () => void
}

function Rule({ orgId, number, rule, named, error, onChange, onRemove }: RuleProps) {
  const id = (name: string) => `field-rules-${number - 1}-${name}`
  return (
    <div className={classes.rule} role="group" aria-label={`Rule ${number}`}>
      <TextInput
        id={id('claim')}
        label="When the claim"
        value={rule.claim}
        error={error('claim')}
        onChange={(event) => onChange({ ...rule, claim: event.currentTarget.value })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <TextInput
        id={id('value')}
        label="is, or contains"
        value={rule.value}
        placeholder="* stands for any"
        error={error('value')}
        onChange={(event) => onChange({ ...rule, value: event.currentTarget.value })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <NativeChoice
        id={id('role')}
        label="give the role"
        value={rule.role ?? ''}
        error={error('role')}
        onChange={({ currentTarget }) =>
          onChange({ ...rule, role: grantedRoles.find((one) => one === currentTarget.value) ?? null })
        }
        data={[
          { value: '', label: 'No role' },
          ...grantedRoles.map((role) => ({ value: role, label: roleNames[role] })),
        ]}
      />
      <GroupPicker
        orgId={orgId}
        id={id('groupId')}
        label={rule.role === 'groupadmin' ? 'to administer' : 'and put into'}
        placeholder={rule.groupId === null ? 'No group' : ''}
        value={rule.groupId === null ? [] : [rule.groupId]}
        known={named}
        isByHand
        error={error('groupId')}
        onPick={(groups) => onChange({ ...rule, groupId: groups.at(-1)?.id ?? null })}
      />
      <IconButton
        tone="quiet"
        size={36}
        icon={IconX}
        label={`Remove rule ${number}`}
        title="Remove"
        onClick={onRemove}
      />
    </div>
  )
}
