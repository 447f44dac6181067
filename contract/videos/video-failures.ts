import type { VideoFailure } from './videos.ts'

/** Apart from the codes, because most lists of videos show none of them. */
export const videoFailures: Record<VideoFailure, string> = {
  not_a_video: 'The file is not a video.',
  unknown_format: 'The file is in a format that is not known here. Please save it as MP4.',
  no_video_track: 'The file has sound but no picture.',
  empty: 'The video has no length.',
  too_long: 'The video is longer than 12 hours.',
  too_large_picture: 'The picture is larger than 8,192 pixels on one side, or than 16 million pixels in all.',
  too_much_picture:
    'The video is too long for the size of its picture: 12 hours fit in Full HD, 3 hours in 4K.',
  unsupported_codec: 'The video is in a format that cannot be read.',
  mpeg4_part_2:
    'The picture is stored as MPEG-4 Part 2 (DivX, Xvid), which cannot be read. Please save it as H.264.',
  mpeg1: 'The picture is stored as MPEG-1, which cannot be read. Please save it as MP4.',
  mpeg2: 'The picture is stored as MPEG-2, which cannot be read. Please save it as MP4.',
  dv: 'The picture is stored as DV, which cannot be read. Please save it as MP4.',
  wmv: 'The file is a Windows Media file (WMV), which cannot be read. Please save it as MP4.',
  flv: 'The file is a Flash video (FLV), which cannot be read. Please save it as MP4.',
  encrypted: 'The file is encrypted or copy-protected. Please upload one that everybody may play.',
  avi: 'The file is an AVI file, which cannot be read. Please save it as MP4.',
  refers_elsewhere: 'The file holds no video: it refers to other files.',
  cut_off: 'The file ends in the middle of the video.',
  index_missing: 'The file was cut off before its table of contents, so that nothing of it can be shown.',
  damaged: 'The file is damaged, so that it cannot be converted. Please upload it again from the original.',
  unreadable:
    'The file could not be converted, although no damage was found in it. Please save it anew as MP4.',
  too_costly: 'Reading the file takes more time or memory than a video needs. It is probably damaged.',
  processing_failed: 'The video could not be converted. Please try again.',
  converter_broken:
    'This installation cannot convert videos at present. The file is kept, and the video goes on by itself as soon as that is mended.',
  storage_away:
    'The store of files does not answer at present. The file is kept, and the video goes on by itself as soon as it does.',
  source_altered:
    'The stored file is not the one that was uploaded: its bytes have changed since. Please upload it again from the original.',
  disk_full: 'The disk of the server was full. Please try again when there is room.',
  upload_expired: 'The upload was not finished within seven days.',
}
