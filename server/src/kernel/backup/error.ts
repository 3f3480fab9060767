/** The error of a backup or a restore. The message describes the problem and the next step of the operator. */
export class BackupError extends Error {}
