# frozen_string_literal: true

module Holdup
  module Lab
    # The requests of a load as a user writes them: "/orders", "POST /carts/7", "10 GET /products" (ten times
    # as often as those without a number), one a line in a file, with comments after "#".
    module Requests
      LINE = /\A(?:(?<weight>\d{1,6}(?:\.\d{1,3})?) +)?(?:(?<verb>GET|HEAD|POST|PUT|PATCH|DELETE) +)?(?<path>\/\S*)\z/

      module_function

      # @param lines [Array<String>]
      # @return [Array<Route>] the requests that are alike together
      # @raise [UsageError]
      def routes(lines)
        parsed = lines.map { |line| line.sub(/(?:\A|\s)#.*/, "").strip }.reject(&:empty?).map { |line|
          parse(line)
        }
        if parsed.empty?
          raise UsageError.new("there is no request to send",
            "name a path with --url, or a file with --requests")
        end
        parsed.group_by { |verb, path, _| [verb, path] }.map { |(verb, path), same|
          Route.new(label: "#{verb} #{path}", verb:, path:, weight: same.sum(&:last))
        }
      end

      # @param file [String]
      # @return [Array<String>]
      # @raise [UsageError] it can't be read
      def read(file)
        File.readlines(file, chomp: true, encoding: "UTF-8").map(&:scrub)
      rescue SystemCallError => error
        raise UsageError.new("--requests #{file} can't be read (#{error.message})",
          "give a file with a request a line, such as `10 GET /products`")
      end

      def parse(line)
        match = LINE.match(line) or raise UsageError.new("#{line[0, 100].inspect} is no request",
          "write a path such as /orders, with a verb and a weight if need be: `10 GET /products`")
        [match[:verb] || "GET", match[:path], Float(match[:weight] || 1)]
      end
      private_class_method :parse
    end
  end
end
