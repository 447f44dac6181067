import type { RecognitionFailure } from './speech.ts'

/** Why there are no captions, and what to do. */
export const recognitionSentences: Record<RecognitionFailure, string> = {
  model_missing:
    'The model for recognising speech is not where it should be. Whoever runs this installation can put it back.',
  model_altered:
    'The model for recognising speech is not the file that it should be: its checksum is another one. Whoever runs this installation can fetch it again.',
  model_unfit:
    'The model for recognising speech cannot be used: it is damaged, or none in the format of whisper.cpp. Whoever runs this installation can fetch it again.',
  model_english:
    'The model of this installation knows English alone. Choose English, or use a model for all languages.',
  no_sound: 'The video has no sound.',
  nothing_heard: 'No speech was found in this video.',
  too_costly: 'It took more time or memory than it may. A smaller model needs less of both.',
  captions_present:
    'There are captions in this language already, and they were kept. Say that they may be replaced, and try again.',
  video_replaced: 'The video was replaced by another file in the meantime. Please try again.',
  disk_full: 'The disk of the server was full. Please try again when there is room.',
  storage_away: 'The store of files did not answer. Please try again.',
  recognition_failed: 'It did not succeed, also when it was tried again.',
}
