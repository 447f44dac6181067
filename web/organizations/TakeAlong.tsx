import { Button } from '@mantine/core'
import { IconDownload, IconUpload } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Query } from '#contract/endpoint.ts'
import { exportUsers } from '#contract/users.ts'
import { fetchFile } from '../api/client.ts'
import { sentence } from '../api/errors.ts'
import { paths } from '../paths.ts'
import { useSession } from '../session/useSession.ts'
import { offer } from '../ui/download.ts'
import { toast } from '../ui/toasts.ts'
import { tip } from '#web/ui/tips.ts'

type Props = { orgId: string; query: Partial<Query<typeof exportUsers>>; mayImport: boolean }

/** People in from a file, and those in sight out into one. */
export function TakeAlong({ orgId, query: { ...query }, mayImport }: Props) {
  const [isBusy, setBusy] = useState(false)
  const { viewing } = useSession()
  const save = async () => {
    setBusy(true)
    try {
      const file = await fetchFile(exportUsers, { params: { orgId }, query })
      offer(file, `people-${new Date().toISOString().slice(0, 10)}.csv`)
    } catch (error) {
      toast.failure(sentence(error))
    } finally {
      setBusy(false)
    }
  }
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
      <Button
        variant="default"
        loading={isBusy}
        leftSection={<IconDownload size={16} aria-hidden />}
        {...tip('The people that the filters find, as a file for a spreadsheet')}
        onClick={() => void save()}
      >
        Export CSV
      </Button>
    </>
  )
}
