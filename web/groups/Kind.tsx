import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listFields } from '#contract/directory/fields.ts'
import type { GroupRule } from '#contract/directory/rules.ts'
import { RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { queryOf } from '../api/query.ts'
import { RuleEditor } from './RuleEditor.tsx'
import { firstRule } from './rule.ts'

type Props = {
  orgId: string
  groupId: string | undefined
  rule: GroupRule | null
  errors: Readonly<Record<string, unknown>>
  onChange: (rule: GroupRule | null) => void
}

/** People chosen by hand, or whoever matches a rule. */
export function Kind({ orgId, groupId, rule, errors, onChange }: Props) {
  const { data } = useQuery(queryOf(listFields, { params: { orgId } }))
  const [former, setFormer] = useState<GroupRule | null>(rule)
  const [isRuled] = useState(rule !== null)
  const choose = (value: string) => {
    if (value === 'rule') return onChange(former ?? firstRule(data?.items ?? []))
    setFormer(rule)
    onChange(null)
  }
  return (
    <>
      <RadioChoices
        label="Members"
        value={rule ? 'rule' : 'static'}
        onChange={choose}
        choices={[
          {
            value: 'static',
            label: 'People chosen by hand',
            means:
              isRuled && !rule
                ? 'Whoever is in the group now stays, and from then on nobody comes or leaves by itself.'
                : 'You add people and take them out.',
          },
          {
            value: 'rule',
            label: 'By a rule',
            means:
              'Whoever matches is in it, and leaves when they no longer do. For example everybody whose department is Sales.',
          },
        ]}
      />
      {rule && <RuleEditor orgId={orgId} groupId={groupId} rule={rule} errors={errors} onChange={onChange} />}
    </>
  )
}
