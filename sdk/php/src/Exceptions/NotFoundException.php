<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/** The record does not exist in the environment of the key (404). */
final class NotFoundException extends MalipoException
{
}
