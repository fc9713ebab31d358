# frozen_string_literal: true

require_relative "../../model/lever"
require_relative "../../model/utf8"
require_relative "../../model/waiting_queue"
require_relative "../working_folder"

module Holdup
  module Servers
    # What an adapter knows of its process. Several in one process (Puma with Sidekiq embedded) are merged:
    # the web server first, the others in order of arrival.
    #
    # - `name`: "puma", "sidekiq" ...; a later one with the same name replaces the earlier
    # - `facts`: {String => scalar} that change results, for the setting. Web servers: server, server_version,
    #   workers, threads, min_threads, preload; job runners: jobs, jobs_version, job_threads and others
    # - `worker`: index among its siblings; `generation`: how often it was reforked, nil: the number of forks
    # - `pools`: gives [Pool] as they are now; `levers`: gives [Lever]
    # - `pool_of`: queue => the name of the pool that runs its jobs on the current thread, nil: unknown; not
    #   merged
    # - `gauges`: gives {Symbol => Integer} of the gauges that only this server has (Segment::Layout::GAUGES)
    # - `live`: gives the levers that an experiment can move while the process runs, see LiveLever
    # - `fixed`: why no experiment can move a lever while the process runs: the key of a sentence in the
    #   locales (`fixed_<key>`); nil: not known, or one can
    Identity = Data.define(
      :name, :facts, :worker, :generation, :pools, :pool_of, :levers, :gauges, :live, :fixed
    ) do
      def initialize(
        name:,
        facts: {},
        worker: nil,
        generation: nil,
        pools: -> { [] },
        pool_of: ->(_queue) {},
        levers: -> { [] },
        gauges: -> { {} },
        live: -> { [] },
        fixed: nil
      )
        super
      end

      def self.merge(identities)
        identities = identities.partition { |each| each.facts.key?("server") }.flatten
        new(
          name: identities.map(&:name).join("+"),
          facts: identities.map(&:facts).reverse.inject({}, :merge),
          worker: identities.filter_map(&:worker).first,
          generation: identities.filter_map(&:generation).first,
          pools: -> { identities.flat_map { |each| each.pools.call } },
          levers: -> { levers(identities) },
          gauges: -> { identities.map { |each| each.gauges.call }.inject({}, :merge) },
          live: -> { identities.flat_map { |each| each.live.call } },
          fixed: identities.filter_map(&:fixed).first
        )
      end

      # A job runner in a web server's process has threads too, so levers of the same name get their owner's
      # name.
      def self.levers(identities)
        identities.each_with_object([]) do |identity, all|
          taken = all.map(&:name)
          levers = identity.levers.call.map do |lever|
            taken.include?(lever.name) ? lever.with(name: "#{lever.name} (#{identity.name})") : lever
          end
          all.concat(levers)
        end
      end
      private_class_method :levers

      # The identity in a forked child: no worker, no threads.
      def forked
        nothing = -> { [] }
        with(worker: nil, generation: nil, pools: nothing, levers: nothing, gauges: -> { {} }, live: nothing)
      end
    end

    # One group of threads that take units (a web server's thread pool, a job runner's capsule or queue group)
    # at one moment. nil: unknown.
    #
    # - `name`: short, because a segment keeps it with each series of jobs
    # - `max`: threads it may have; `busy`: those at work; `backlog`: units that wait for one
    # - `served`: units finished since it started
    # - `oldest_ns`: the longest time that a unit of the backlog has waited
    # - `queues`: [WaitingQueue] of the backlog, empty where they are unknown
    Pool = Data.define(:name, :max, :busy, :backlog, :served, :oldest_ns, :queues) do
      def initialize(name:, max: nil, busy: nil, backlog: nil, served: nil, oldest_ns: nil, queues: [])
        super(name: self.class.short(name), max:, busy:, backlog:, served:, oldest_ns:, queues:)
      end

      # Cut to the room in a segment.
      def self.short(name)
        (name.bytesize > self::LONGEST_NAME) ? name.byteslice(0, self::LONGEST_NAME).scrub("") : name
      end

      def free
        max && busy && [max - busy, 0].max
      end
    end

    Pool::LONGEST_NAME = 64 # Segment::Layout::SERIES_TEXTS[:pool]

    # The configuration line of a setting, so that advice can name it. Searched at the start of lines; the
    # last one counts, as for the server. A value set by other Ruby code is not found.
    #
    # - `place`: "config/unicorn.rb:12", relative to the working directory where that is shorter
    # - `value`: the text after the setting's name, without a comment or a condition
    ConfigLine = Data.define(:place, :value) do
      def self.find(path, word)
        return unless path && File.file?(path)
        setting = /\A\s*#{Regexp.escape(word)}\b[ (]*(.*?)\)?(?:\s+(?:if|unless)\s.*)?\s*(?:#.*)?\Z/
        lines = File.readlines(path, encoding: "UTF-8").map(&:scrub)
        index = lines.rindex { |line| line.match?(setting) } or return
        file = Utf8.of(path.b.delete_prefix("#{WorkingFolder.path}/".b))
        new(place: "#{file}:#{index + 1}", value: lines[index][setting, 1])
      end
    end
  end
end
