# frozen_string_literal: true

module Holdup
  module Analysis
    # One method of the application that kept others waiting, for the requests or jobs of one name, or for a
    # thread outside of them.
    #
    # - `name`, `account`: of the requests or jobs; or of the thread's account
    # - `label`, `path`, `line`: as "SalesReport#rows", with the line that caused most; no path for C code
    #   and for what the probe's table had no room for
    # - `called`: what the method had called while it caused most; nil: its own code
    # - `caused_ns`: stall of others in the samples of its holds; `gc_ns`, `native_ns`: the parts of it in
    #   garbage collection, and in C code that checks no interrupts
    # - `samples`: how often its stack was taken
    MethodLine = Data.define(:name, :account, :label, :path, :line, :called, :caused_ns, :gc_ns, :native_ns,
      :samples) do
      # @param windows [Enumerable<Holdup::Window>] of kind :method
      # @param names [Enumerable<String>] of the requests and jobs that were chosen
      # @param accounts [Boolean] whether threads outside of requests and jobs count too
      # @return [Array<MethodLine>] those that caused most first
      def self.all(windows, names:, accounts:)
        places = windows.map { |window| MethodPlace.of(window) }.select do |place|
          place.account? ? accounts : names.include?(place.name)
        end
        lines = places.group_by { |place| [place.name, place.path, place.label] }
          .map { |_, same| of(same) }
        lines.sort_by { |line| [-line.caused_ns, line.name, line.label, line.path.to_s] }
      end

      # @param places [Array<MethodPlace>] of one method
      def self.of(places)
        first = places.first
        parts = MethodPlace.sums(places, &:part)
        called, = MethodPlace.sums(places.select { |place| place.part == :ruby }, &:called).max_by(&:last)
        line, = MethodPlace.sums(places, &:line).max_by(&:last)
        new(name: first.name, account: first.account?, label: first.label, path: first.path, line:, called:,
          caused_ns: places.sum(&:caused_ns), gc_ns: parts.fetch(:gc, 0), native_ns: parts.fetch(:native, 0),
          samples: places.sum(&:samples))
      end

      # "app/models/sales_report.rb:41"; nil without a path
      def location = path && "#{path}:#{line}"
    end

    # One place as the probe recorded it: "app/models/report.rb:41 Report#rows | Array#sort_by".
    MethodPlace = Data.define(:name, :label, :path, :line, :part, :called, :caused_ns, :samples) do
      def self.of(window)
        series = window.series
        place, called = series.queue.to_s.split(" | ", 2)
        found = place&.match(/\A(?<path>.+?):(?<line>\d+) (?<label>.+)\z/)
        part = MethodPlace::PARTS.fetch(called, :ruby)
        called = nil unless part == :ruby
        path, line, label = found ? found.values_at(:path, :line, :label) : [nil, nil, place || "(others)"]
        new(name: series.name, label:, path:, line: line&.to_i, part:, called:,
          caused_ns: window.sums[:caused_ns], samples: window.count)
      end

      # @return [Hash] caused_ns by what the block says of a place
      def self.sums(places)
        places.group_by { |place| yield place }.transform_values { |same| same.sum(&:caused_ns) }
      end

      # Outside of requests and jobs, by the names that the agent gives threads.
      def account? = name.match?(MethodPlace::ACCOUNT)
    end

    # Words of the probe instead of a called method (ext/holdup/hold_places.c).
    MethodPlace::PARTS = {"(GC)" => :gc, "(native C)" => :native}.freeze
    MethodPlace::ACCOUNT = /\A(?:thread:|main\z|native\z)/
  end
end
