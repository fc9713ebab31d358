# frozen_string_literal: true

require "socket"
require "uri"

module Holdup
  module Export
    # Metrics to a DogStatsD or StatsD server at intervals: by how much this collector's figures have grown.
    # The protocol has no answers, so what the server misses is not sent again.
    class Statsd
      # @param export [ConfigurationKeys::StatsdExport]
      # @raise [LoadError] without the gem for DogStatsD
      def initialize(export, log:, clock:, scaling: nil)
        plain = export.format == :statsd
        receiver = plain ? "StatsD" : "DogStatsD"
        @figures = ExportedMetrics.new(export, receiver, log:, clock:, scaling:)
        @client = plain ? PlainClient.new(export.address) : DogStatsdClient.new(export.address)
        @delivery = ExportedMetrics::Delivery.new
        @mutex = Mutex.new
        address = @client.address
        @thread = PushThread.new(receiver, address:, interval_s: export.interval, log:) { push }
      end

      def start = @thread.start

      # Adds what was stored in one commit.
      # @param windows [Array<Window>]
      # @param samples [Array<Hash>] of processes
      # @param deaths [Array<Autopsy>] that the store did not have before
      def add(windows, samples, deaths: [])
        @mutex.synchronize { @figures.add(windows, samples, deaths:) }
      end

      def close
        @thread.stop
        @client.close
      end

      # Only the thread calls it, and tests.
      # @raise [SystemCallError, Holdup::Error] when a part could not be sent
      def push
        metrics = @mutex.synchronize { @figures.metrics }
        changed = @delivery.difference(metrics)
        @delivery.delivered(metrics)
        @client.send_metrics(changed)
      end
    end

    # A histogram as few values with weights. DogStatsD has no message for a whole one, and one for each
    # request would be without a bound.
    class Statsd::WeightedValues
      # Neighbouring buckets are one value if a histogram has more of them.
      MOST = 64

      # @param histogram [Histogram]
      def initialize(histogram)
        @histogram = histogram
      end

      # The value is the geometric middle of its buckets: at most 2.2 % off while they span 4 octaves (a
      # factor of 16), 4.4 % up to 8 octaves, 9.1 % up to 16.
      # @return [Array<(Float, Integer)>] seconds and how many
      def to_a
        zero = @histogram.zero.positive? ? [[middle(0, Histogram::Buckets::FLOOR_NS), @histogram.zero]] : []
        zero + groups.map { |first, last, count| [middle(bound(first), bound(last + 1)), count] }
      end

      # A count as a sum of powers of two: then few messages hold all values, for each power one, and its
      # sample rate is exact.
      # @return [Hash{Integer => Array<Float>}] weight => values in seconds
      def by_weight
        to_a.each_with_object({}) do |(seconds, count), found|
          while count.positive?
            weight = 1 << count.bit_length - 1
            (found[weight] ||= []) << seconds
            count -= weight
          end
        end
      end

      private

      # @return [Array<(Integer, Integer, Integer)>] first and last slot, and count
      def groups
        counts = occupied_slots
        width = 1
        while counts.size > MOST
          width *= 2
          counts = counts.each_with_object(Hash.new(0)) { |(slot, count), pairs| pairs[slot / 2] += count }
        end
        counts.map { |slot, count| [slot * width, slot * width + width - 1, count] }
      end

      # @return [Hash{Integer => Integer}] slot => count
      def occupied_slots
        slot = @histogram.offset - 1
        @histogram.counts.each_with_object({}) do |count, found|
          slot += 1
          found[slot] = count if count.positive?
        end
      end

      def bound(slot)
        Histogram::Buckets::BOUNDS.fetch([slot, Histogram::Buckets::SLOTS].min)
      end

      # No value lies outside of min and max.
      def middle(lower, upper)
        lower = [lower, @histogram.min].max
        upper = [upper, @histogram.max].min
        Math.sqrt(lower * upper).fdiv(NS)
      end
    end

    # DogStatsD through Datadog's gem, which also says which container the figures come from.
    class Statsd::DogStatsdClient
      # Tags that mean the same to Datadog under another name: `host` would name a host of Datadog's.
      TAGS = {host: :instance}.freeze
      # A server reads from a buffer of a few hundred kB, so a burst is sent in parts.
      BURST = 200
      PAUSE_S = 0.005
      # Bytes of the values in a message, together with its name and tags: the gem drops what does not fit
      # into a packet, to which it adds its own tags and the container.
      MOST_BYTES = 1000
      VALUE_BYTES = "1.23456e-05:".bytesize
      # What separates the parts of a message.
      SPECIAL = /[\x00-\x1f\x7f|,]/

      # @param address [String, nil] nil: what the gem finds in the environment
      # @param options [Hash] for the gem
      def initialize(address, **options)
        require "datadog/statsd"
        @complaint = PushThread::LastComplaint.logger
        @client = ::Datadog::Statsd.new(*place(address), single_thread: true, logger: @complaint,
          telemetry_enable: false, **socket(address), **options)
      end

      # @param metrics [Array<ExportedMetrics::ExportedMetric>] differences
      def send_metrics(metrics)
        @complaint.text = nil
        @sent = 0
        @tags = {}
        metrics.each { |metric| send_metric(metric) }
        @client.flush(sync: true)
        raise Error, @complaint.text.delete_prefix("Statsd: ") if @complaint.text
      end

      # @return [String] for the log
      def address = @client.socket_path || "#{@client.host}:#{@client.port}"

      def close = @client.close

      private

      def place(address)
        uri = URI(address.to_s)
        (uri.scheme == "udp") ? [uri.hostname, uri.port] : []
      end

      def socket(address)
        address.to_s.start_with?("unix:") ? {socket_path: address.delete_prefix("unix://")} : {}
      end

      def send_metric(metric)
        name = metric.dotted_name
        metric.values.each do |labels, value|
          tags = @tags[labels] ||= tags(labels)
          case metric.type
          when :counter then message { @client.count(name, value, tags:) }
          when :gauge then message { @client.gauge(name, value, tags:) }
          else distribution(name, value, tags)
          end
        end
      end

      def distribution(name, histogram, tags)
        at_once = (MOST_BYTES - name.bytesize - tags.sum(&:bytesize)) / VALUE_BYTES
        Statsd::WeightedValues.new(histogram).by_weight.each do |weight, values|
          rate = (weight == 1) ? 1 : 1.0 / weight
          values.each_slice([at_once, 1].max) do |some|
            packed = some.map { |seconds| format("%.6g", seconds) }.join(":")
            message { @client.distribution(name, packed, tags:, sample_rate: rate, pre_sampled: true) }
          end
        end
      end

      def message
        yield
        @sent += 1
        return unless (@sent % BURST).zero?
        @client.flush(sync: true)
        sleep(PAUSE_S)
      end

      def tags(labels)
        labels.map { |label, value| "#{TAGS.fetch(label, label)}:#{value.to_s.gsub(SPECIAL, "_")}" }
      end
    end

    # StatsD as Etsy's server has it: no tags, so labels are parts of the name, and no weights of values, so
    # percentiles of the interval are gauges.
    class Statsd::PlainClient
      HOST = "127.0.0.1"
      PORT = 8125
      # What fits into a packet of every network.
      MOST_BYTES = 1432
      BURST = 20
      PAUSE_S = 0.005
      # Wait for a server behind a Unix socket whose queue is full.
      PATIENCE_S = 1
      PERCENTILES = {p50: 0.5, p95: 0.95, p99: 0.99}.freeze

      # @param address [String, nil] nil: port 8125 of this host
      def initialize(address)
        @uri = URI(address || "udp://#{HOST}:#{PORT}")
      end

      # @param metrics [Array<ExportedMetrics::ExportedMetric>] differences
      # @raise [SystemCallError, SocketError] the rest was not sent
      def send_metrics(metrics)
        packets(metrics.flat_map { |metric| lines(metric) }).each_with_index do |packet, index|
          sleep(PAUSE_S) if index.positive? && (index % BURST).zero?
          send_packet(packet)
        end
      rescue SystemCallError, SocketError
        close # a new server has another socket
        raise
      end

      # @return [String] for the log
      def address = @uri.to_s

      def close
        @socket&.close
        @socket = nil
      end

      private

      def send_packet(packet)
        socket.sendmsg_nonblock(packet)
      rescue IO::WaitWritable
        raise unless socket.wait_writable(PATIENCE_S)
        retry
      end

      def socket
        @socket ||= (@uri.scheme == "unix") ? unix_socket : UDPSocket.new.tap { |udp| connect(udp) }
      end

      def unix_socket
        socket = Socket.new(:UNIX, :DGRAM)
        socket.connect(Socket.sockaddr_un(@uri.path))
        socket
      end

      def connect(udp)
        udp.connect(@uri.hostname, @uri.port)
      end

      def lines(metric)
        metric.values.flat_map do |labels, value|
          name = [metric.dotted_name, *labels.values.map { |part| plain(part) }].join(".")
          case metric.type
          when :counter then ["#{name}:#{number(value)}|c"]
          when :gauge then ["#{name}:#{number(value)}|g"]
          else percentiles(name, value)
          end
        end
      end

      def percentiles(name, histogram)
        gauges = PERCENTILES.transform_values { |share| histogram.quantile(share) }
        gauges[:max] = histogram.max
        ["#{name}.count:#{histogram.count}|c",
          *gauges.map { |gauge, ns| "#{name}.#{gauge}:#{number(ns.fdiv(NS))}|g" }]
      end

      def plain(part) = part.to_s.gsub(/[^\w-]+/, "_")

      # Servers don't read 1.0e-05.
      def number(value)
        value.is_a?(Integer) ? value.to_s : format("%.9f", value)
      end

      # @return [Array<String>] lines together while they fit
      def packets(lines)
        packets = []
        lines.each do |line|
          if packets.any? && packets.last.bytesize + line.bytesize < MOST_BYTES
            packets.last << "\n" << line
          else
            packets << +line
          end
        end
        packets
      end
    end
  end
end
