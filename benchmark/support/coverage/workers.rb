# frozen_string_literal: true

require "etc"

module Bench
  class Coverage
    # Simulations in as many processes as there are CPUs: they need no GVL but their own.
    module Workers
      module_function

      # @param items [Array<Object>]
      # @yieldreturn [Object] of an item, in a forked process
      # @return [Array<Object>] in the order of the items
      def map(items, &)
        count = [Etc.nprocessors, items.size].min
        shares = items.each_with_index.group_by { |_, index| index % count }.values
        workers = shares.map { |share| start(share, &) }
        results = workers.flat_map { |reader, _| Marshal.load(reader.read) } # rubocop:disable Security/MarshalLoad
        workers.each { |_, pid| finish(pid) }
        results.sort_by(&:first).map(&:last)
      ensure
        workers&.each { |reader, _| reader.close }
      end

      def start(share)
        reader, writer = IO.pipe(binmode: true)
        pid = fork do
          reader.close
          writer.write(Marshal.dump(share.map { |item, index| [index, yield(item)] }))
          writer.close
          exit!(true)
        end
        writer.close
        [reader, pid]
      end

      def finish(pid)
        _, status = Process.wait2(pid)
        raise Failure, "a worker failed: #{status}" unless status.success?
      end
      private_class_method :start, :finish
    end
  end
end
