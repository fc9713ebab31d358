# frozen_string_literal: true

module Holdup
  module Analysis
    # One method of the application that made others wait, for the requests or jobs of one name, or for a
    # thread outside of them.
    #
    # - `name`, `account`: of the requests or jobs; or of the thread's account
    # - `label`, `path`, `line`: as "SalesReport#rows", with the line that caused most; no path for C code
    #   and for what the probe's table had no room for
    # - `called`: what the method had called while it caused most; nil: its own code
    # - `caused_ns`: stall of others in the samples of its holds; `gc_ns`, `native_ns`: the parts of it in
    #   garbage collection, and in C code that checks no interrupts
    # - `samples`: how often its stack was taken
    # - `revisions`: UnderRevision of each revision that ran such requests or jobs, in order of first use;
    #   empty where there were not two
    MethodLine = Data.define(:name, :account, :label, :path, :line, :called, :caused_ns, :gc_ns, :native_ns,
      :samples, :revisions) do
      # @param windows [Enumerable<Holdup::Window>] of kind :method
      # @param names [Enumerable<String>] of the requests and jobs that were chosen
      # @param accounts [Boolean] whether threads outside of requests and jobs count too
      # @return [Array<MethodPlace>]
      def self.places(windows, names:, accounts:)
        windows.map { |window| place(window) }.select do |place|
          place.account? ? accounts : names.include?(place.name)
        end
      end

      # @param places [Array<MethodPlace>]
      # @param revisions [RevisionUnits, nil] of those requests and jobs
      # @return [Array<MethodLine>] those that caused most first
      def self.all(places, revisions: nil)
        lines = places.group_by(&:key).map { |_, same| of(same, revisions&.of(same) || []) }
        lines.sort_by { |line| [-line.caused_ns, line.name, line.label, line.path.to_s] }
      end

      # @param window [Holdup::Window] of kind :method
      # @return [MethodPlace]
      def self.place(window) = MethodPlace.of(window)

      # @param places [Array<MethodPlace>] of one method
      def self.of(places, revisions = [])
        first = places.first
        parts = MethodPlace.sums(places, &:part)
        called, = MethodPlace.sums(places.select { |place| place.part == :ruby }, &:called).max_by(&:last)
        line, = MethodPlace.sums(places, &:line).max_by(&:last)
        new(name: first.name, account: first.account?, label: first.label, path: first.path, line:, called:,
          caused_ns: places.sum(&:caused_ns), gc_ns: parts.fetch(:gc, 0), native_ns: parts.fetch(:native, 0),
          samples: places.sum(&:samples), revisions:)
      end

      # "app/models/sales_report.rb:41"; without the line where that is not known; nil without a path
      def location
        line ? "#{path}:#{line}" : path
      end
    end

    # One place as the probe recorded it: "app/models/report.rb:41 Report#rows | Array#sort_by".
    MethodPlace = Data.define(:name, :label, :path, :line, :part, :called, :caused_ns, :samples,
      :revision) do
      def self.of(window)
        series = window.series
        place, called = series.queue.to_s.split(" | ", 2)
        found = place&.match(/\A(?<path>.+?):(?<line>\d+) (?<label>.+)\z/)
        part = MethodPlace::PARTS.fetch(called, :ruby)
        called = nil unless part == :ruby
        path, line, label = found ? found.values_at(:path, :line, :label) : [nil, nil, place || "(others)"]
        line = line&.to_i&.nonzero?
        new(name: series.name, label: readable(label, path), path:, line:, part:, called:,
          caused_ns: window.sums[:caused_ns], samples: window.count, revision: revision(window.setting))
      end

      # Rails compiles a template into a method of an anonymous class. Its name and the address of the class
      # differ in each process, so without them the same template would be many methods.
      # @return [String] "template", "#<Class>#call", or the label
      def self.readable(label, path)
        return "template" if path && TemplateMethod.name?(label)
        label.gsub(MethodPlace::ADDRESS, "")
      end
      private_class_method :readable

      # @return [String, nil] of the application
      def self.revision(setting)
        revision = setting && setting["revision"].to_s
        revision unless revision.to_s.empty?
      end

      # @return [Hash] caused_ns by what the block says of a place
      def self.sums(places)
        places.group_by { |place| yield place }.transform_values { |same| same.sum(&:caused_ns) }
      end

      # The same for all its lines, and for whatever it calls.
      def key = [name, path, label]

      # Outside of requests and jobs, by the names that the agent gives threads.
      def account? = name.match?(MethodPlace::ACCOUNT)
    end

    # What a method caused while one revision of the application ran. `units`: requests and jobs of its name.
    MethodLine::UnderRevision = Data.define(:revision, :units, :caused_ns, :samples) do
      # @return [Float] ns for each request or job
      def each_ns = caused_ns.fdiv(units)
    end

    # How many requests and jobs of each name ran under each revision.
    class MethodLine::RevisionUnits
      # @return [Array<String>] in order of first use
      attr_reader :order

      # @param entries [Enumerable<WindowTable::WindowEntry>] of requests and jobs
      # @yieldparam setting [Setting]
      # @yieldreturn [Integer] second in which it was first used
      def initialize(entries, &first_used)
        @units = Hash.new(0)
        known = entries.select { |entry| MethodPlace.revision(entry.setting) }
        known.each do |entry|
          @units[[entry.series.name, MethodPlace.revision(entry.setting)]] += entry.window.count
        end
        settings = known.map(&:setting).uniq.sort_by(&first_used)
        @order = settings.map { |setting| MethodPlace.revision(setting) }.uniq
      end

      # @param places [Array<MethodPlace>] of one method
      # @return [Array<UnderRevision>]
      def of(places)
        name = places.first.name
        ran = order.select { |revision| @units[[name, revision]].positive? }
        return [] if ran.size < 2
        by_revision = places.group_by(&:revision)
        ran.map do |revision|
          own = by_revision.fetch(revision, [])
          MethodLine::UnderRevision.new(revision:, units: @units[[name, revision]],
            caused_ns: own.sum(&:caused_ns), samples: own.sum(&:samples))
        end
      end
    end

    # Words of the probe instead of a called method (ext/holdup/hook/hold_places.c).
    MethodPlace::PARTS = {"(GC)" => :gc, "(native C)" => :native}.freeze
    MethodPlace::ADDRESS = /:0x\h{8,}/
    MethodPlace::ACCOUNT = /\A(?:thread:|main\z|native\z)/
  end
end
