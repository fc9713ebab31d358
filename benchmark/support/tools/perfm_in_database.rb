# frozen_string_literal: true

require "tools/perfm"

module Bench
  module Tools
    # perfm as its README sets it up: rows go to the application's own database, a hundred at a time.
    class PerfmInDatabase < Perfm
      FLOATS = %i[gc_ms run_ms idle_ms stall_ms io_percent].freeze
      STRINGS = %i[method controller action].freeze

      # The table that its generator's migration makes.
      def prepare
        ActiveRecord::Schema.verbose = false
        ActiveRecord::Base.connection.create_table(:perfm_gvl_metrics, if_not_exists: true) do |table|
          FLOATS.each { |column| table.float(column) }
          STRINGS.each { |column| table.string(column) }
          table.integer(:puma_max_threads)
          table.index(%i[controller action])
          table.timestamps
        end
      end

      private

      def storage = ::Perfm::Storage::Local.new
    end
  end
end
