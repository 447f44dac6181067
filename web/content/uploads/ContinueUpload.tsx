import type { Video } from '#contract/videos/videos.ts'
import { FileButton } from '#web/ui/fields/FileButton.tsx'
import { continueWith, videoFiles } from './uploading.ts'
import { itemOf } from './uploadStore.ts'
import { cut, ending } from '#contract/platform/text/text.ts'

/** Goes on with an upload that was begun in another browser, or by somebody else. */
export function ContinueUpload({ video }: { video: Video }) {
  return (
    <div>
      <FileButton
        accept={videoFiles}
        variant="default"
        onFiles={([file]) => void (file && continueWith(itemOf(video), file))}
      >
        Choose “{shortened(video.fileName ?? 'the file')}”
      </FileButton>
    </div>
  )
}

function shortened(name: string): string {
  return name.length <= 24 ? name : `${cut(name, 14)}…${ending(name, 8)}`
}
