import { Button } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Query } from '#contract/endpoint.ts'
import { exportUsers } from '#contract/users.ts'
import { paths } from '../paths.ts'
import { ExportButton } from '../lists/ExportButton.tsx'
import { useSession } from '../session/useSession.ts'

type Props = { orgId: string; query: Partial<Query<typeof exportUsers>>; mayImport: boolean }

const exporting = () => Promise.resolve(exportUsers)

/** People in from a file, and those in sight out into one. */
export function TakeAlong({ orgId, query: { ...query }, mayImport }: Props) {
  const { viewing } = useSession()
  return (
    <>
      {mayImport && !viewing && (
        <Button
          variant="default"
          component={Link}
          to={paths.userImport(orgId)}
          leftSection={<IconUpload size={16} aria-hidden />}
        >
          Import
        </Button>
      )}
      <ExportButton
        endpoint={exporting}
        input={{ params: { orgId }, query }}
        what="people"
        title="The people that the filters find, as a file for a spreadsheet"
      />
    </>
  )
}
