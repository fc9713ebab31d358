# frozen_string_literal: true

module Holdup
  module Analysis
    # Which units a report is about. Nil means any. Names are shell globs ("Orders*", "GET /orders/*"). A
    # process that serves requests and runs jobs has threads for each: either number matches.
    class UnitFilter < Data.define(:kind, :name, :queue, :threads)
      # @return [String] a glob that matches exactly that name
      def self.glob_of(name)
        name.gsub(/[\\*?\[\]{}]/) { |char| "\\#{char}" }
      end

      def initialize(kind: nil, name: nil, queue: nil, threads: nil)
        super
      end

      def series?(series)
        (kind.nil? || series.kind == kind) && (queue.nil? || series.queue == queue) &&
          (name.nil? || File.fnmatch(name, series.name, File::FNM_EXTGLOB))
      end

      def setting?(setting)
        return true if threads.nil?
        return false if setting.nil?
        setting.attributes.values_at(*Setting::THREADS).any? { |number| number.to_i == threads }
      end

      # Whether it leaves out some units (then totals of the process can't be shown as theirs).
      def narrow?
        !!(kind || name || queue)
      end
    end
  end
end
