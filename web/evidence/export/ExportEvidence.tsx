import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'

const ExportDialog = dialogOnDemand(async () => (await import('./ExportDialog.tsx')).ExportDialog)

export type ExportProps = { orgId: string; video?: { id: string; title: string } }

/** For administrators: the raw evidence of an organization, or of one video. */
export function ExportEvidence(props: ExportProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Export evidence
      </Button>
      {isOpen && (
        <Suspense>
          <ExportDialog {...props} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
