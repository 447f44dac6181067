import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Body, Reply } from '#contract/endpoint.ts'
import { PreviewInput, previewRules } from '#contract/identity/sso.ts'
import { signInFaultLabels } from '#contract/identity/sso-fault-labels.ts'
import { call } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { Lines } from '#web/ui/Lines.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { roleNames } from '../../session/roleNames.ts'

type Judged = Body<typeof previewRules>
type Props = { orgId: string; connectionId: string; judged: Judged }

/** Milliseconds without a change before the server is asked. */
const pause = 300

/** What the rules, as they stand in the form, would give to those who signed in last. */
export function Preview({ orgId, connectionId, judged }: Props) {
  const text = JSON.stringify(judged)
  const [late] = useDebouncedValue(text, pause)
  const isComplete = PreviewInput.safeParse(judged).success
  const { data, error } = useQuery({
    queryKey: [previewRules.name, orgId, connectionId, late],
    // It was made of such a value a moment ago.
    queryFn: ({ signal }) =>
      call(previewRules, {
        params: { orgId, connectionId },
        body: JSON.parse(late) as Judged,
        signal,
      }),
    enabled: isComplete && late === text,
    staleTime: 2_000,
    placeholderData: keepPreviousData,
    retry: false,
  })
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="preview">
      <h2 id="preview">What the rules give</h2>
      <div role="status" className={shapes.stack}>
        {!isComplete && <p>Fill in every rule to see what they give.</p>}
        {isComplete && error && <p>{sentence(error)}</p>}
        {isComplete && data && <Verdicts items={data.items} />}
      </div>
    </section>
  )
}

type Item = Reply<typeof previewRules>['items'][number]

function Verdicts({ items }: { items: readonly Item[] }) {
  if (items.length === 0)
    return (
      <p>
        Nobody has signed in yet, not even for trial. Once somebody has, their role and groups stand here.
      </p>
    )
  return (
    <Lines label="Last sign-ins under these rules">
      {items.map(({ person, email, at, role, groups, fault }) => (
        <li key={person?.id ?? 'trial'}>
          <div>
            <strong>{person?.name ?? 'The last trial'}</strong>
            <small>
              {email !== null && `${email}, `}
              <RelativeTime iso={at} />
            </small>
            <p>{fault === null ? givenTo(role, groups) : `Refused: ${signInFaultLabels[fault]}.`}</p>
          </div>
        </li>
      ))}
    </Lines>
  )
}

function givenTo(role: Item['role'], groups: Item['groups']): string {
  const names = groups.map(({ name }) => name).join(', ')
  const word = role === null ? 'No role by these rules' : roleNames[role]
  return names === '' ? `${word}, no group.` : `${word}, in ${names}.`
}
