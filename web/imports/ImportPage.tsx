import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { readImport } from '#contract/imports/imports.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import { prefetch, useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '../layout/page.ts'
import { organizationsCrumb } from '../organizations/crumbs.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { Check } from './Check.tsx'
import { Columns } from './Columns.tsx'
import classes from './ImportPage.module.css'
import { Outcome } from './Outcome.tsx'
import { Running } from './Running.tsx'
import { search } from './search.ts'
import { Upload } from './Upload.tsx'
import shapes from '#web/ui/shapes.module.css'

export function load({
  params,
  search: given,
}: LoadInput<'/organizations/$orgId/users/import'>): Promise<unknown> {
  const { orgId } = params
  const { id } = readSearch(search, given)
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    id && prefetch(readImport, { params: { orgId, importId: id } }),
  ])
}

const steps = ['Upload', 'Match columns', 'Check', 'Import', 'Result'] as const

/** People from a file, in five steps; the address holds the file, so that it is found again. */
export function ImportPage() {
  const { orgId } = usePathParams('/organizations/$orgId/users/import')
  const { name } = useEndpoint(readOrganization, { params: { orgId } })
  const [{ id }] = usePageSearch(search)
  return (
    <>
      <PageHead
        title="Import people"
        lead="Add or change many people at once, from a spreadsheet. You see what will happen to every row before anything is changed."
        crumbs={[
          ...organizationsCrumb(),
          <Link key="one" to={paths.organizationDashboard(orgId)} search={{ tab: 'users' }}>
            {name}
          </Link>,
        ]}
        more={
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link {...props} to={paths.organizationDashboard(orgId)} search={{ tab: 'users' }} />
            )}
          >
            Back to the people
          </Button>
        }
      />
      {id === undefined ? (
        <div className={shapes.stack}>
          <Steps present={0} />
          <Upload orgId={orgId} />
        </div>
      ) : (
        <Started key={id} orgId={orgId} importId={id} />
      )}
    </>
  )
}

function Started({ orgId, importId }: { orgId: string; importId: string }) {
  const file = useEndpoint(readImport, { params: { orgId, importId } })
  const [{ step }] = usePageSearch(search)
  const isCheck = step === 'check' || (step === undefined && file.rehearsed > 0)
  const props = { orgId, file }
  if (file.state === 'draft')
    return (
      <div className={shapes.stack}>
        <Steps present={isCheck ? 2 : 1} />
        {isCheck ? <Check {...props} /> : <Columns {...props} />}
      </div>
    )
  const isWorking = ['queued', 'running', 'cancelling'].includes(file.state)
  return (
    <div className={shapes.stack}>
      <Steps present={isWorking ? 3 : 4} />
      {isWorking ? <Running {...props} /> : <Outcome {...props} />}
    </div>
  )
}

function Steps({ present }: { present: number }) {
  return (
    <ol className={`${shapes.row} ${shapes.unit} ${classes.steps}`} aria-label="Steps">
      {steps.map((name, index) => (
        <li
          key={name}
          className={shapes.row}
          aria-current={index === present ? 'step' : undefined}
          data-done={index < present || undefined}
        >
          <span className={shapes.disc} aria-hidden>
            {index + 1}
          </span>
          {name}
          {index < present && <span className={shapes.sr}> (done)</span>}
        </li>
      ))}
    </ol>
  )
}
