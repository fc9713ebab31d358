# frozen_string_literal: true

bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
threads 3, 3
