<?php

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class extends Migration {
    public function up(): void
    {
        Schema::create('orders', function (Blueprint $table) {
            $table->id();
            $table->string('amount', 20);
            $table->string('currency', 3);
            $table->string('status', 10);
            $table->uuid('collection_id')->nullable()->unique();
        });
    }
};
