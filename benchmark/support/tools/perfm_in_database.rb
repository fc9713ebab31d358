# frozen_string_literal: true

require "tools/perfm"

module Bench
  module Tools
    # perfm as its README sets it up: rows go to the application's own database, a hundred at a time.
    class PerfmInDatabase < Perfm
      TABLES = {perfm_gvl_metrics: %i[method controller action],
                perfm_sidekiq_gvl_metrics: %i[job_class queue]}.freeze
      FLOATS = %i[gc_ms run_ms idle_ms stall_ms io_percent].freeze

      # The tables that its generators' migrations make, before the storefront reads all models' tables at
      # boot.
      def prepare
        ::Rails.application.config.after_initialize do
          TABLES.each { |name, strings| create(ActiveRecord::Base.connection, name, strings) }
        end
      end

      private

      def storage = ::Perfm::Storage::Local.new

      def create(connection, name, strings)
        connection.create_table(name, if_not_exists: true) do |table|
          FLOATS.each { |column| table.float(column) }
          strings.each { |column| table.string(column) }
          table.integer(:puma_max_threads)
          table.index(strings)
          table.timestamps
        end
      end
    end
  end
end
