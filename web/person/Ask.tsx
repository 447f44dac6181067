import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listGroups } from '#contract/directory/groups.ts'
import { explainVisibility } from '#contract/person/person.ts'
import { adminRoles } from '#contract/roles.ts'
import { listUsers, type User } from '#contract/directory/users.ts'
import { listVideos, searchVideos } from '#contract/videos/videos.ts'
import { sentence } from '#web/api/errors.ts'
import { queryOf } from '#web/api/query.ts'
import { useUser } from '#web/session/useSession.ts'
import '#web/ui/fields/choice.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { reasonText } from './labels.tsx'
import shapes from '#web/ui/look/shapes.module.css'

const kinds = { user: 'the person', group: 'the group', video: 'the video' } as const
type About = keyof typeof kinds
type Option = { value: string; label: string }

/** Things that one may ask about, looked for on the server while one types. */
function useOptions(orgId: string, about: About, q: string): Option[] {
  const [params, limit] = [{ orgId }, 20]
  const people = useQuery({
    ...queryOf(listUsers, { params, query: { q, limit } }),
    enabled: about === 'user',
  })
  const groups = useQuery({
    ...queryOf(listGroups, { params, query: { q, limit } }),
    enabled: about === 'group',
  })
  const newest = useQuery({
    ...queryOf(listVideos, { query: { organizationId: orgId, limit } }),
    enabled: about === 'video' && q === '',
  })
  const found = useQuery({
    ...queryOf(searchVideos, { query: { organizationId: orgId, limit, keyword: q } }),
    enabled: about === 'video' && q !== '',
  })
  if (about === 'video')
    return ((q === '' ? newest : found).data?.items ?? []).map(({ id, title }) => ({
      value: id,
      label: title,
    }))
  const named = about === 'user' ? people.data?.items : groups.data?.items
  return (named ?? []).map(({ id, name }) => ({ value: id, label: name }))
}

/** "Can Ada see …?", and the answer with its reasons. */
export function Ask({ orgId, user }: { orgId: string; user: User }) {
  const isAdmin = adminRoles.includes(useUser().role)
  const [about, setAbout] = useState<About>('user')
  const [chosen, setChosen] = useState<Option | null>(null)
  const [text, setText] = useState('')
  const wanted = text === chosen?.label ? '' : text.trim()
  const [q] = useDebouncedValue(wanted, 200)
  const found = useOptions(orgId, about, q)
  // What was found for other letters is not offered: Enter would choose something else.
  const options = q === wanted ? found : []
  const isKnown = chosen === null || options.some(({ value }) => value === chosen.value)
  const choose = (value: string | null) => setChosen(options.find((one) => one.value === value) ?? null)
  const offered = (Object.keys(kinds) as About[]).filter((kind) => isAdmin || kind !== 'video')
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="why-ask">
      <h2 id="why-ask">Why does {user.name} see something, or not?</h2>
      <div className={shapes.grid}>
        <NativeChoice
          label={`Can ${user.name} see`}
          data={offered.map((value) => ({ value, label: kinds[value] }))}
          value={about}
          onChange={({ currentTarget: { value } }) => {
            setAbout(offered.find((kind) => kind === value) ?? 'user')
            setChosen(null)
            setText('')
          }}
        />
        <Select
          key={about}
          label="Which one"
          placeholder="Search by name"
          data={isKnown ? options : [...options, chosen]}
          value={chosen?.value ?? null}
          onChange={choose}
          searchable
          searchValue={text}
          onSearchChange={setText}
          filter={({ options: all }) => all}
          nothingFoundMessage="Nothing has this name"
        />
      </div>
      <div role="status">
        {chosen && <Answer orgId={orgId} user={user} about={about} id={chosen.value} />}
      </div>
    </section>
  )
}

function Answer({ orgId, user, about, id }: { orgId: string; user: User; about: About; id: string }) {
  const { data, error } = useQuery(
    queryOf(explainVisibility, { params: { orgId, userId: user.id }, query: { about, id } }),
  )
  if (error) return <Notice tone="danger">{sentence(error)}</Notice>
  if (!data) return null
  return (
    <Notice tone={data.may ? 'success' : 'danger'} icon={data.may ? IconCircleCheck : IconCircleX}>
      <p>
        <strong>{data.may ? 'Yes.' : 'No.'}</strong> {user.name} {data.may ? 'sees' : 'does not see'}{' '}
        {data.name}.
      </p>
      <ul>
        {data.reasons.map((reason) => (
          <li key={`${reason.code}${reason.group?.id ?? ''}${reason.transmission?.id ?? ''}`}>
            {reasonText(user.name, reason)}
            {reason.since && (
              <>
                {' '}
                Since <DateTime iso={reason.since} />.
              </>
            )}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
