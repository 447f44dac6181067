import { IconBuilding, IconChevronDown } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { Suspense, useCallback, useEffect } from 'react'
import * as z from 'zod/mini'
import { listOrganizations, readOrganization } from '#contract/directory/organizations.ts'
import { ApiError } from '#web/api/errors.ts'
import { queryOf } from '#web/api/query.ts'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import { readSearch } from '../page.ts'
import { isNarrowed, useWorkingOrganization, working } from '../../session/workingOrganization.ts'
import { BarPanel } from './BarPanel.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import bar from './Topbar.module.css'

const open = async () => (await import('./OrganizationPanel.tsx')).OrganizationPanel
const OrganizationPanel = onDemand(open)
const search = z.object({ organization: z.catch(z.optional(z.uuid()), undefined) })

/** For superadmins, who belong to no organization: the one that they work in. */
export function OrganizationMenu() {
  const remembered = useWorkingOrganization()
  const { pathname, search: given } = useLocation()
  const named = readSearch(search, given).organization
  const chosen = named ?? (isNarrowed(pathname) ? '' : remembered)
  const choose = useChoice(isNarrowed(pathname))
  // A link into an organization is a way to go there.
  useEffect(() => {
    if (named !== undefined) working.choose(named)
  }, [named])
  useOnlyOne(remembered === '' && needsOne.test(pathname), choose)
  const { data, error } = useQuery({
    ...queryOf(readOrganization, { params: { orgId: chosen } }),
    enabled: chosen !== '',
  })
  const isGone = error instanceof ApiError && error.status === 404
  useEffect(() => {
    if (isGone) choose('')
  }, [isGone, choose])
  const name = chosen === '' ? 'All organizations' : (data?.name ?? '…')
  const button = {
    className: bar.organization ?? '',
    label: `Organization: ${name}`,
    content: (
      <>
        <IconBuilding size={20} aria-hidden />
        <span className={shapes.cut}>{name}</span>
        <IconChevronDown size={16} aria-hidden />
      </>
    ),
    onNear: () => void open().catch(() => undefined),
  }
  return (
    <BarPanel id="bar-organization" label="Organization" width="inner" button={button}>
      {(close) => (
        <Suspense fallback={<div style={{ height: 240 }} />}>
          <OrganizationPanel
            chosen={chosen}
            onChoose={(id) => {
              close()
              choose(id)
            }}
          />
        </Suspense>
      )}
    </BarPanel>
  )
}

/** What addresses say that has a meaning in one organization alone, and where in its list they are. */
const ofOne = new Set([
  'organization',
  'group',
  'project',
  'video',
  'transmission',
  'cols',
  'open',
  'cell',
  'form',
  'dialog',
  'attention',
  'offset',
  'after',
  'before',
])

/** Chooses an organization; a page that shows the things of one shows those of this one. */
function useChoice(isShown: boolean) {
  const navigate = useNavigate()
  return useCallback(
    (id: string) => {
      working.choose(id)
      if (!isShown) return
      const left = (now: object) => Object.entries(now).filter(([name]) => !ofOne.has(name))
      const organization = id === '' ? {} : { organization: id }
      void navigate({
        to: '.',
        search: (now: object) => ({ ...Object.fromEntries(left(now)), ...organization }),
        replace: true,
      })
    },
    [isShown, navigate],
  )
}

/** Pages where things of one organization are made; the others do without the question below. */
const needsOne = /^\/(content|transmissions|assignments|reports\/training-matrix)/

/** Where there is only one, nobody has to choose it. */
function useOnlyOne(isAsked: boolean, choose: (id: string) => void): void {
  const { data } = useQuery({ ...queryOf(listOrganizations, { query: { limit: 2 } }), enabled: isAsked })
  const [only, another] = data?.items ?? []
  const id = only && !another ? only.id : undefined
  useEffect(() => {
    if (isAsked && id !== undefined) choose(id)
  }, [isAsked, id, choose])
}
